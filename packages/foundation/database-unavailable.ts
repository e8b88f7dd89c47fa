import { Socket } from "node:net";
import { DatabaseError } from "pg";
import { refusal, type AppError } from "./errors.ts";

const connectionErrors = new WeakSet<Error>();

/** Opens the socket of a connection to PostgreSQL, so that its errors are told from those of any other. */
export function openDatabaseSocket(): Socket {
  return new Socket().on("error", (error) => void connectionErrors.add(error));
}

/** What the driver says when the server went silent, or keeps a statement over its time limit. */
export const READ_TIMEOUT = "Query read timeout";

/** What the driver says, without a code, of a connection that is lost, also before the statement or the rollback that it is asked for. */
const LOST = new Set([
  // The server or a pooler in front of it closed it.
  "Connection terminated unexpectedly",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  READ_TIMEOUT,
]);

/** What the driver's pool says when nobody gave a connection back in time. */
const POOL_FULL = "timeout exceeded when trying to connect";

const SOON_SECONDS = 5;
/** Longer, since somebody has to make room first. */
const LATER_SECONDS = 60;

const DISK_FULL = "53100";

const NOT_NOW = "can't take this just now";
const NOT_IN_TIME = "had no time for this";
const OTHERS_FIRST = "was busy with what others change";

/** Codes of the server that say nothing of the statement itself: the same one may do a moment later. */
const PASSING: ReadonlyMap<string, string> = new Map([
  ["53300", "takes no more connections"],
  // Out of resources or of memory.
  ["53000", NOT_NOW],
  ["53200", NOT_NOW],
  // Ended by an administrator or a crash; starting or stopping.
  ["57P01", NOT_NOW],
  ["57P02", NOT_NOW],
  ["57P03", NOT_NOW],
  // The time limits of a statement, of a transaction and of its pauses; an administrator who cancels is told by the first, too.
  ["57014", NOT_IN_TIME],
  ["25P03", NOT_IN_TIME],
  ["25P04", NOT_IN_TIME],
  // A lock that took too long; a deadlock, also over the nodes of a cluster; a snapshot that others overtook.
  ["55P03", OTHERS_FIRST],
  ["40P01", OTHERS_FIRST],
  ["40001", OTHERS_FIRST],
]);
/** Connections that were lost, also those that a pooler in front of the server ends, or that a cluster's nodes have to each other. */
const CONNECTION_CLASS = "08";

/**
 * Answers errors of the database as a whole, or of how much is asked of it at once, as opposed to errors of one request; undefined for those.
 * Where a statement has a time limit of its own, whoever set it answers what it means there.
 */
export function databaseUnavailable(error: Error): AppError | undefined {
  if (isPoolFull(error)) {
    return poolFull(503, error);
  }
  // The pool wraps what a connection that took too long failed with.
  if (isOfConnection(error) || (error.cause instanceof Error && isOfConnection(error.cause))) {
    return unavailable("does not answer; try again in a few seconds", { cause: error });
  }
  const code = error instanceof DatabaseError ? (error.code ?? "") : "";
  if (code === DISK_FULL) {
    return unavailable("has no room left; try again when its disk has been given some", { seconds: LATER_SECONDS, cause: error });
  }
  const what = PASSING.get(code) ?? (code.startsWith(CONNECTION_CLASS) || isNodeLost(error) ? NOT_NOW : undefined);
  return what === undefined ? undefined : unavailable(`${what}; try again in a few seconds`, { cause: error });
}

/** Codes of a server that takes no statement at all: too many connections; ended, crashed, starting or stopping. */
const AWAY = new Set(["53300", "57P01", "57P02", "57P03"]);

/** Whether the database answers nobody just now, as opposed to errors of what it was asked, among them a statement that takes too long. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || error.message === READ_TIMEOUT) {
    return false;
  }
  const isLost = isPoolFull(error) || isOfConnection(error) || (error.cause instanceof Error && isOfConnection(error.cause));
  return isLost || (error instanceof DatabaseError && AWAY.has(error.code ?? ""));
}

/** Whether all connections of this process were taken for too long. */
export function isPoolFull(error: Error): boolean {
  return error.message === POOL_FULL;
}

/** The refusal for {@link isPoolFull}, with the status that the API's contract gives it. */
export function poolFull(status: 500 | 503, cause: Error): AppError {
  return unavailable("has no connection free for this; try again in a few seconds", { status, cause });
}

/** Whether it is what Citus says, with no code of its own, of a node that it lost in the middle. */
export function isNodeLost({ message }: Error): boolean {
  return message.startsWith("failure on connection marked as essential") || message.startsWith("execution cannot recover from multiple");
}

function isOfConnection(error: Error): boolean {
  return connectionErrors.has(error) || LOST.has(error.message);
}

type Refused = { readonly status?: 500 | 503; readonly seconds?: number; readonly cause: Error };

function unavailable(what: string, { status = 503, seconds = SOON_SECONDS, cause }: Refused): AppError {
  const headers = { "retry-after": String(seconds) };
  return refusal(status, "database_unavailable", `The database ${what}.`, { headers, cause });
}
