import type { Kysely } from "kysely";
import type { Observation } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findWholeBlobs } from "./blobs.store.ts";
import type { Run } from "./find-run.store.ts";
import { findObservation } from "./observation.store.ts";
import { findPayloadTexts } from "./payload-texts.store.ts";
import { observationNotFound } from "#query/access/not-found.errors.ts";
import { mergeAttributes, toValues } from "./payload-values.ts";
import { UNKNOWN_NAME } from "./present-trace.ts";
import { startOf } from "./start-of.ts";

/** A step with what it took in and gave back. */
export async function readObservation(query: Kysely<ObservabilitySchema>, run: Run, id: string): Promise<Observation> {
  const row = await findObservation(query, run, id);
  if (row === undefined) {
    throw observationNotFound();
  }
  const eventIds = [row.start_event, row.end_event].filter((event) => event !== null);
  const texts = await findPayloadTexts(query, run, { eventIds, updatesOf: [id] });
  const payloads = await toValues(texts, (hashes) => findWholeBlobs(query, run.projectId, hashes));
  const start = payloads.find(({ event_id: event }) => event === row.start_event);
  const end = payloads.find(({ event_id: event }) => event === row.end_event);
  const times = { started: row.started_at?.getTime() ?? null, ended: row.ended_at?.getTime() ?? null };
  return {
    id: row.id,
    parent_id: row.parent_id,
    kind: row.kind ?? "span",
    name: row.name ?? UNKNOWN_NAME,
    status: row.end_status ?? (row.is_abandoned ? "abandoned" : "running"),
    started_at: startOf({ ...times, durationMs: row.duration_ms, seen: row.seen_at.getTime() }).toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.duration_ms,
    seq: row.start_seq ?? row.end_seq ?? 0,
    model: row.model,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    reasoning_tokens: row.reasoning_tokens,
    cost: row.cost,
    error: row.error,
    code: row.code,
    input: start?.value ?? end?.parameters ?? null,
    output: end?.value ?? end?.result ?? null,
    reasoning: end?.reasoning ?? null,
    attributes: mergeAttributes(payloads),
  };
}
