import type { Redis } from "@sightline/foundation/redis";
import type { Kysely } from "kysely";
import { z } from "zod";
import { originOfEntry } from "#events/stream-entry.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findOpenEntry, markReplayed, type DeadLetter } from "./dead-letters.store.ts";
import type { Reader } from "#store/reader.ts";
import { deadLetterCut, deadLetterNotOpen, notYourProject, streamAway, streamFull } from "./dead-letter.errors.ts";

export type ReplayStream = { readonly redis: Pick<Redis, "xadd" | "xlen">; readonly name: string };

type ReplayOptions = {
  readonly query: Kysely<ObservabilitySchema>;
  readonly stream: ReplayStream;
  readonly letter: DeadLetter;
  readonly reader: Reader;
  readonly by: string;
  readonly at: Date;
};

/** Where the contract's alert warns. Replayed entries are never trimmed for, so that they push nothing off the stream themselves. */
const MAX_STREAM_LENGTH = 80_000;

const fieldsSchema = z.array(z.string()).min(2);

/**
 * Puts a dead letter on the stream again, under the event's own id. First that and then the mark: what dies between the two
 * is open still, and an event that is replayed twice is one.
 *
 * @throws {AppError} 409, 404 or 503.
 */
export async function replayDeadLetter({ query, stream, letter, reader, by, at }: ReplayOptions): Promise<void> {
  const { id, state } = letter;
  const open = await findOpenEntry(query, { id, reader });
  if (open === undefined) {
    throw deadLetterNotOpen(state);
  }
  if (!letter.is_whole) {
    throw deadLetterCut();
  }
  const fields = fieldsSchema.parse(JSON.parse(open.entry));
  // Whose dead letter it is was read from these same fields; should that ever differ, nobody gets at another's project by it.
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
