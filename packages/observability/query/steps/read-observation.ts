import type { Kysely } from "kysely";
import type { Observation } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findWholeBlobs } from "./blobs.store.ts";
import type { Run } from "./find-run.store.ts";
import { findPayloadTexts } from "./payload-texts.store.ts";
import { observationNotFound } from "#query/access/not-found.errors.ts";
import { mergeAttributes, toValues } from "./payload-values.ts";
import { presentStep } from "./present-step.ts";
import { findObservation } from "./steps.store.ts";

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
  return {
    ...presentStep(row),
    input: start?.value ?? end?.parameters ?? null,
    output: end?.value ?? end?.result ?? null,
    reasoning: end?.reasoning ?? null,
    attributes: mergeAttributes(payloads),
  };
}
