import { itemPageSchema } from "#contract.ts";
import type { ApiRig } from "./api-rig.ts";

/** Two experiments that ran the first item of a dataset, and which of them somebody prefers; by the names of their parameters in routes. */
export async function furnishPair(api: ApiRig, base: string, token: string, datasetId: string): Promise<Readonly<Record<string, string>>> {
  const listed = await api.get(`${base}/datasets/${datasetId}/items`, token);
  const itemId = itemPageSchema.parse(listed.body).items[0]?.id ?? "";
  const ids: string[] = [];
  for (const name of ["kept", "compared"]) {
    const { body } = await api.post(`${base}/experiments`, { dataset_id: datasetId, name }, token);
    ids.push(String(body["id"]));
    const runs = [{ item_id: itemId, repetition: 0, state: "succeeded", output: "kept" }];
    await api.post(`${base}/experiments/${String(body["id"])}/runs`, { runs }, token);
  }
  const [experimentId = "", baselineId = ""] = ids;
  await api.put(`${base}/experiments/${experimentId}/preferences/${itemId}?baseline=${baselineId}`, { preferred: "first" }, token);
  return { experiment_id: experimentId, baseline_id: baselineId, item_id: itemId };
}
