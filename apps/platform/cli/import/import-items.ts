import { createHash } from "node:crypto";
import {
  datasetPageSchema,
  datasetSchema,
  jsonObjectSchema,
  writtenItemsSchema,
  type CreateDatasetRequest,
  type Dataset,
} from "@sightline/observability/contract";
import { RefusedError, type EvaluationClient } from "#cli/eval/client.ts";
import type { LangfuseDataset, LangfuseItem } from "./langfuse-schemas.ts";
import type { Tally } from "./tally.ts";
import { inBatches, writeInHalves } from "./write-in-halves.ts";

/** The dataset of a name, made where it is not there. */
export async function findOrMakeDataset(client: EvaluationClient, wanted: CreateDatasetRequest, tally: Tally): Promise<Dataset> {
  const found = datasetPageSchema.parse(await client.get(`/datasets?name=${encodeURIComponent(wanted.name)}`)).items[0];
  if (found !== undefined) {
    tally.there("datasets");
    return found;
  }
  const made = await client.post("/datasets", wanted).catch(async (error: unknown) => {
    const hasSchema = (wanted.input_schema ?? null) !== null || (wanted.expected_schema ?? null) !== null;
    if (!(error instanceof RefusedError) || error.status !== 400 || !hasSchema) {
      throw error;
    }
    tally.note(`dataset has no schema here: ${error.message}`);
    return client.post("/datasets", { ...wanted, input_schema: null, expected_schema: null });
  });
  tally.written("datasets");
  return datasetSchema.parse(made);
}

export function makeDataset(client: EvaluationClient, dataset: LangfuseDataset, tally: Tally): Promise<Dataset> {
  const schema = (given: unknown) => jsonObjectSchema.nullable().catch(null).parse(given);
  const wanted = {
    name: dataset.name,
    description: (dataset.description ?? "").slice(0, 2_000),
    input_schema: schema(dataset.inputSchema),
    expected_schema: schema(dataset.expectedOutputSchema),
  };
  return findOrMakeDataset(client, wanted, tally);
}

const MAX_ITEMS = 500;

/** Writes the items. @returns which item of the dataset each of Langfuse's is; what was left out is not in it. */
export async function importItems(
  client: EvaluationClient,
  dataset: { readonly id: string; readonly source: string },
  items: readonly LangfuseItem[],
  tally: Tally,
): Promise<ReadonlyMap<string, string>> {
  const active = items.filter(({ status }) => status !== "ARCHIVED");
  if (active.length < items.length) {
    tally.leftOut("items", "archived", items.length - active.length);
  }
  const rows = active.map((item) => ({ source: item.id, item: toItem(item, dataset.source) }));
  const ids = new Map<string, string>();
  for (const batch of inBatches(rows, MAX_ITEMS)) {
    const write = async (part: readonly (typeof rows)[number][]) => {
      const body = { items: part.map(({ item }) => item), reason: "from Langfuse" };
      const written = writtenItemsSchema.parse(await client.post(`/datasets/${dataset.id}/items`, body)).items;
      for (const [at, { state }] of written.entries()) {
        const { source, item } = part[at] ?? {};
        if (state === "duplicate") {
          tally.leftOut("items", "the dataset has an item of the same input and expected value");
        } else if (source !== undefined && item !== undefined) {
          ids.set(source, item.id);
          tally[state === "unchanged" ? "there" : "written"]("items");
        }
      }
    };
    // eslint-disable-next-line no-await-in-loop -- a dataset takes one version after another.
    await writeInHalves(batch, write, (_row, reason) => tally.leftOut("items", reason));
  }
  return ids;
}

function toItem({ id, input, expectedOutput, metadata, sourceTraceId, sourceObservationId }: LangfuseItem, dataset: string) {
  const own = jsonObjectSchema.safeParse(metadata).data ?? (metadata === null ? {} : { value: metadata });
  const source = { id, trace_id: sourceTraceId ?? undefined, observation_id: sourceObservationId ?? undefined };
  return { id: toUuid(`${dataset}/${id}`), input, expected: expectedOutput, metadata: { ...own, langfuse: source } };
}

/** The same of the same text, in every import: a UUID of version 8. */
function toUuid(text: string): string {
  const hex = createHash("sha256").update(`langfuse/${text}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
