import type { Kysely } from "kysely";
import type { PayloadRange } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findWholeBlobs } from "./blobs.store.ts";
import type { Run } from "./find-run.store.ts";
import { findPayloadRange, findPayloadText, type PayloadPart } from "./payload-texts.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";
import { payloadNotFound } from "#query/access/not-found.errors.ts";
import { sliceCharacters } from "./payload-values.ts";

type Wanted = { readonly eventId: string; readonly part: PayloadPart; readonly from: number; readonly length: number };

/** A range of a value's JSON text, however long the whole is. Where contents stand in it, it is the text with them in their places. */
export async function readPayload(query: Kysely<ObservabilitySchema>, run: Run, wanted: Wanted): Promise<PayloadRange> {
  const { from, length } = wanted;
  const stored = await findPayloadRange(query, run, wanted);
  if (stored === undefined) {
    throw payloadNotFound();
  }
  const { text, characters } = stored.has_contents ? sliceCharacters(await resolvedText(query, run, wanted), from, length) : stored;
  const next = from + length;
  return { text, characters, from, next_from: next < characters ? next : null };
}

async function resolvedText(query: Kysely<ObservabilitySchema>, run: Run, wanted: Wanted): Promise<string> {
  const text = (await findPayloadText(query, run, wanted)) ?? "null";
  const rows = [{ value: JSON.parse(text) as unknown, attributes: null, tool_entry: null }];
  const [row] = await resolveBlobs(rows, (hashes) => findWholeBlobs(query, run.projectId, hashes));
  return JSON.stringify(row?.value);
}
