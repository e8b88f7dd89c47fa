import { orRefuse } from "@sightline/foundation/errors";
import { parseExactly } from "@sightline/foundation/exact-json";
import type { Kysely } from "kysely";
import type { PayloadRange, Observation } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findWholeBlobs } from "./blobs.store.ts";
import type { Run } from "./find-run.store.ts";
import { findPayloadRange, findPayloadText, type PayloadPart, findPayloadTexts } from "./payload-texts.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";
import { payloadNotFound, observationNotFound } from "#query/access/not-found.errors.ts";
import { sliceCharacters, mergeAttributes, toValues } from "./payload-values.ts";
import { presentStep } from "./present-step.ts";
import type { StepRow } from "./step.store.ts";
import { findObservation } from "./steps.store.ts";

/** A step with what it took in and gave back. */
export async function readObservation(query: Kysely<ObservabilitySchema>, run: Run, id: string): Promise<Observation> {
  const row = orRefuse(await findObservation(query, run, id), observationNotFound);
  const [observation] = await readObservations(query, run, [row]);
  return orRefuse(observation, observationNotFound);
}

/** Steps with what they took in and gave back, in the same order. */
export async function readObservations(
  query: Kysely<ObservabilitySchema>,
  run: Run,
  rows: readonly StepRow[],
): Promise<readonly Observation[]> {
  const eventIds = rows.flatMap((row) => [row.start_event, row.end_event]).filter((event) => event !== null);
  const texts = await findPayloadTexts(query, run, { eventIds, updatesOf: rows.map(({ id }) => id) });
  const payloads = await toValues(texts, (hashes) => findWholeBlobs(query, run.projectId, hashes));
  const byOwner = Map.groupBy(payloads, ({ owner_id: owner }) => owner);
  return rows.map((row) => {
    const own = byOwner.get(row.id) ?? [];
    const start = own.find(({ event_id: event }) => event === row.start_event);
    const end = own.find(({ event_id: event }) => event === row.end_event);
    return {
      ...presentStep(row),
      input: start?.value ?? end?.parameters ?? null,
      output: end?.value ?? end?.result ?? null,
      reasoning: end?.reasoning ?? null,
      attributes: mergeAttributes(own),
      stack: end?.stack ?? null,
    };
  });
}

type PayloadRequest = { readonly eventId: string; readonly part: PayloadPart; readonly from: number; readonly length: number };

/** A range of a value's JSON text, however long the whole is. Where contents stand in it, it is the text with them in their places. */
export async function readPayload(query: Kysely<ObservabilitySchema>, run: Run, wanted: PayloadRequest): Promise<PayloadRange> {
  const { from, length } = wanted;
  const stored = await findPayloadRange(query, run, wanted);
  if (stored === undefined) {
    throw payloadNotFound();
  }
  const { text, characters } = stored.has_contents ? sliceCharacters(await resolvedText(query, run, wanted), from, length) : stored;
  const next = from + length;
  return { text, characters, from, next_from: next < characters ? next : null };
}

async function resolvedText(query: Kysely<ObservabilitySchema>, run: Run, wanted: PayloadRequest): Promise<string> {
  const text = (await findPayloadText(query, run, wanted)) ?? "null";
  const rows = [{ value: parseExactly(text), attributes: null, tool_entry: null }];
  const [row] = await resolveBlobs(rows, (hashes) => findWholeBlobs(query, run.projectId, hashes));
  return JSON.stringify(row?.value);
}
