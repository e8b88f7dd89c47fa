import type { ScoreMean } from "#contract.ts";
import type { Query } from "#schema.ts";
import { setMeans } from "./experiments.store.ts";
import { listItemMeans, listRunMeans, type ItemMean } from "./item-means.store.ts";
import type { OfExperiment } from "./runs.store.ts";

/** Keeps what an experiment that ended scored, so that a list of them reads no run. */
export async function keepMeans(query: Query, of: OfExperiment): Promise<void> {
  const pooled = { ...of, experimentIds: [of.experimentId] };
  const means = meansOf([...(await listItemMeans(query, pooled)), ...(await listRunMeans(query, pooled))]);
  await setMeans(query, { ...of, id: of.experimentId, means });
}

function meansOf(items: readonly ItemMean[]): ScoreMean[] {
  const scored = items.flatMap(({ name, source, mean }) => (mean === null ? [] : [{ name, source, mean }]));
  return [...Map.groupBy(scored, ({ source, name }) => JSON.stringify([source === "run", name, source])).entries()]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([, [first, ...rest]]) =>
      first === undefined ? [] : [{ ...first, mean: rest.reduce((sum, { mean }) => sum + mean, first.mean) / (rest.length + 1) }],
    );
}
