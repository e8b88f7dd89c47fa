import type { Database } from "@sightline/foundation/database";
import { toRows } from "#consume/event-rows.ts";
import type { StreamEvent } from "#intake/event.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { writeBatch } from "#store/write-batch.store.ts";

/** Into the tables without a stream, as one batch. */
export async function writeEvents(database: Database<ObservabilitySchema>, events: readonly StreamEvent[]): Promise<void> {
  await writeBatch(database.query, { ...toRows(events), deadLetters: [] });
}
