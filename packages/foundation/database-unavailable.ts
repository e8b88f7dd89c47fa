import { Socket } from "node:net";
import { DatabaseError } from "pg";
import { refusal, type AppError } from "./errors.ts";

const connectionErrors = new WeakSet<Error>();

/** Opens the socket of a connection to PostgreSQL, so that its errors are told from those of any other. */
export function openDatabaseSocket(): Socket {
  return new Socket().on("error", (error) => void connectionErrors.add(error));
}

/** The message, without a code, of a connection that the server or a pooler in front of it closed. */
const HUNG_UP = "Connection terminated unexpectedly";

const SOON_SECONDS = 5;
/** Longer, since somebody has to make room first. */
const LATER_SECONDS = 60;

const DISK_FULL = "53100";
const TOO_MANY_CONNECTIONS = "53300";
/** Out of resources or of memory; ended by an administrator or a crash; starting or stopping. */
const PASSING = new Set([DISK_FULL, TOO_MANY_CONNECTIONS, "53000", "53200", "57P01", "57P02", "57P03"]);
/** Connections that were lost, also those that a pooler in front of the server ends. */
const CONNECTION_CLASS = "08";

/** Answers errors of the database as a whole, as opposed to errors of one request; undefined for those. */
export function databaseUnavailable(error: Error): AppError | undefined {
  // The pool wraps what a connection that took too long failed with.
  if (isOfConnection(error) || (error.cause instanceof Error && isOfConnection(error.cause))) {
    return unavailable("does not answer; try again in a few seconds", SOON_SECONDS, error);
  }
  const code = error instanceof DatabaseError ? (error.code ?? "") : "";
  if (!PASSING.has(code) && !code.startsWith(CONNECTION_CLASS)) {
    return undefined;
  }
  if (code === DISK_FULL) {
    return unavailable("has no room left; try again when its disk has been given some", LATER_SECONDS, error);
  }
  const what = code === TOO_MANY_CONNECTIONS ? "takes no more connections" : "can't take this just now";
  return unavailable(`${what}; try again in a few seconds`, SOON_SECONDS, error);
}

function isOfConnection(error: Error): boolean {
  return connectionErrors.has(error) || error.message === HUNG_UP;
}

function unavailable(what: string, seconds: number, cause: Error): AppError {
  const headers = { "retry-after": String(seconds) };
  return refusal(503, "database_unavailable", `The database ${what}.`, { headers, cause });
}
