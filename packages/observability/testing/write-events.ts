import type { Database } from "@sightline/foundation/database/database";
import { toRows } from "#ingest/event-rows.ts";
import type { StreamEvent } from "#events/event.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";

/** Into the tables without a stream, as one batch. */
export async function writeEvents(database: Database<ObservabilitySchema>, events: readonly StreamEvent[]): Promise<void> {
  await writeBatch(database.query, { ...toRows(events), deadLetters: [] });
}
