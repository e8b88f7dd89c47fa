import { orRefuse } from "@sightline/foundation/errors";
import type { Redis } from "@sightline/foundation/redis";
import { z } from "zod";
import { originOfEntry } from "#events/stream-entry.ts";
import type { Query } from "#schema.ts";
import { findOpenEntry, markReplayed, type DeadLetter } from "./dead-letters.store.ts";
import type { Reader } from "#store/reader.ts";
import { deadLetterCut, deadLetterNotOpen, notYourProject, streamAway, streamFull } from "./dead-letter.errors.ts";

export type ReplayStream = { readonly redis: Pick<Redis, "xadd" | "xlen">; readonly name: string };

type ReplayOptions = {
  readonly query: Query;
  readonly stream: ReplayStream;
  readonly deadLetter: DeadLetter;
  readonly reader: Reader;
  readonly by: string;
  readonly at: Date;
};

/** The length at which the contract's alert warns. A replay never trims the stream, so that it pushes off nothing itself. */
const MAX_STREAM_LENGTH = 80_000;

const fieldsSchema = z.array(z.string()).min(2);

/**
 * Puts a dead letter on the stream again, under the event's own id, and marks it afterwards: when the process dies
 * between the two it stays open, and an event that is replayed twice is one.
 *
 * @throws {AppError} 409, 404 or 503.
 */
export async function replayDeadLetter({ query, stream, deadLetter, reader, by, at }: ReplayOptions): Promise<void> {
  const { id, state } = deadLetter;
  const open = orRefuse(await findOpenEntry(query, { id, reader }), () => deadLetterNotOpen(state));
  if (!deadLetter.is_whole) {
    throw deadLetterCut();
  }
  const fields = fieldsSchema.parse(JSON.parse(open.entry));
  // Ownership was read from these same fields; should that ever differ, nobody reaches another's project by it.
  if (reader.kind !== "operator" && originOfEntry(fields)?.projectId.toLowerCase() !== open.project_id) {
    throw notYourProject();
  }
  await putOn(stream, fields);
  await markReplayed(query, { id, reader, by, at });
}

async function putOn({ redis, name }: ReplayStream, fields: readonly string[]): Promise<void> {
  const length = await redis.xlen(name).catch((error: unknown) => {
    throw streamAway(error);
  });
  if (length >= MAX_STREAM_LENGTH) {
    throw streamFull(length);
  }
  await redis.xadd(name, "*", ...fields).catch((error: unknown) => {
    throw streamAway(error);
  });
}
