import { readFile } from "node:fs/promises";
import { importedItemsSchema } from "@sightline/observability/contract";
import { createEvaluationClient } from "#cli/eval/client.ts";
import { fetchPatiently } from "./fetch-patiently.ts";
import { findOrMakeDataset } from "./import-items.ts";
import { Tally } from "./tally.ts";

/** `sightline import jsonl`: items of a file as one version of a dataset, which is made where it is not there. */
export async function importJsonl(file: string, options: { readonly dataset: string; readonly url?: string }): Promise<void> {
  const client = await createEvaluationClient(options.url, fetchPatiently);
  const lines = await readFile(file, "utf8");
  const tally = new Tally();
  const { id } = await findOrMakeDataset(client, { name: options.dataset }, tally);
  const done = importedItemsSchema.parse(await client.post(`/datasets/${id}/items/import`, lines));
  tally.written("items", done.added + done.changed);
  tally.there("items", done.unchanged);
  if (done.duplicates > 0) {
    tally.leftOut("items", "the dataset, or the file before them, has an item of the same input and expected value", done.duplicates);
  }
  console.log(tally.print());
}
