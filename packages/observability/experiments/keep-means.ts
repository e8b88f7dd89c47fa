import { orRefuse } from "@sightline/foundation/errors";
import type { ScoreMean } from "#contract.ts";
import type { Query } from "#schema.ts";
import { sample } from "#statistics/intervals.ts";
import { measureInterval, scoreInterval } from "#statistics/one-score.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { findExperiment, setResult } from "./experiments.store.ts";
import { listItemMeans, listRunMeans, type ItemMean } from "./item-means.store.ts";
import type { OfExperiment } from "./runs.store.ts";

/** Keeps what an experiment that ended scored, so that a list or a chart of them reads no run. */
export async function keepMeans(query: Query, of: OfExperiment): Promise<void> {
  const pooled = { ...of, experimentIds: [of.experimentId] };
  const { repetitions } = orRefuse(await findExperiment(query, { ...of, id: of.experimentId }), experimentNotFound);
  const means = meansOf([...(await listItemMeans(query, pooled)), ...(await listRunMeans(query, pooled))], repetitions);
  await setResult(query, { ...of, id: of.experimentId }, { means });
}

function meansOf(items: readonly ItemMean[], repetitions: number): ScoreMean[] {
  return [...Map.groupBy(items, ({ source, name }) => JSON.stringify([source === "run", name, source])).entries()]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([, rows]) => meanOf(rows, repetitions));
}

function meanOf(rows: readonly ItemMean[], repetitions: number): readonly ScoreMean[] {
  const scored = rows.flatMap(({ mean, cluster }) => (mean === null ? [] : [{ value: mean, cluster: cluster ?? undefined }]));
  const [first] = rows;
  if (first === undefined || scored.length === 0) {
    return [];
  }
  const { name, source } = first;
  const isSingleBoolean = repetitions === 1 && rows.every(({ is_boolean: isBoolean }) => isBoolean);
  const interval = source === "run" ? measureInterval(scored) : scoreInterval(scored, isSingleBoolean);
  const { mean } = sample(scored.map(({ value }) => value));
  return [{ name, source, mean, low: interval?.low ?? null, high: interval?.high ?? null, items: scored.length }];
}
