import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { OF_NEWEST_ATTEMPT } from "./runs.store.ts";

export type Pooled = InProject & { readonly experimentIds: readonly string[] };

/** The mean of one revision of an item under one name in one or several pooled experiments, over its repetitions. */
export type ItemMean = {
  readonly item_id: string;
  readonly source: "application" | "check" | "judge" | "run";
  readonly name: string;
  readonly evaluator_version: string;
  /** The revision of the item that was run. */
  readonly item_version: number;
  readonly cluster: string | null;
  /** Null without any value. */
  readonly mean: number | null;
  readonly values: number;
  /** Runs that have the score without a value. */
  readonly missing: number;
  readonly is_boolean: boolean;
};

/** By revision of an item and score, but for categories; of the newest attempts of all repetitions. */
export async function listItemMeans(query: Query, { projectId, reader, experimentIds }: Pooled): Promise<readonly ItemMean[]> {
  if (experimentIds.length === 0) {
    return [];
  }
  const { rows } = await sql<ItemMean>`
    select score.item_id, score.source, score.name, score.evaluator_version, item.version as item_version, min(item.cluster) as cluster, avg(score.value) as mean,
      count(score.value)::int as values, (count(*) - count(score.value))::int as missing, bool_and(score.is_boolean) as is_boolean
    from observability.run_scores as score
    join observability.experiments as experiment on experiment.project_id = score.project_id and experiment.id = score.experiment_id
    join observability.item_revisions as item on item.project_id = score.project_id and item.dataset_id = experiment.dataset_id and item.item_id = score.item_id
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
    where score.project_id = ${projectId}::uuid and score.experiment_id = any(${experimentIds}::uuid[]) and ${OF_NEWEST_ATTEMPT}
      and score.text_value is null and ${hasRoleIn(reader, "viewer", projectId)}
    group by score.item_id, item.version, score.source, score.name, score.evaluator_version
    order by score.item_id, item.version`.execute(query);
  return rows;
}

type Took = Pick<ItemMean, "item_id" | "item_version" | "cluster"> &
  Readonly<Record<Measure, number | null>> & { readonly runs: Readonly<Record<Measure, number>> };

const MEASURES = ["cost", "duration", "tokens"] as const;
type Measure = (typeof MEASURES)[number];

/** What runs took, as scores of which less is better: `cost` in dollars, `duration` in seconds, `tokens`. */
export async function listRunMeans(query: Query, { projectId, reader, experimentIds }: Pooled): Promise<readonly ItemMean[]> {
  if (experimentIds.length === 0) {
    return [];
  }
  // A row an item for all of them: of three, most of the time went into making them.
  const { rows } = await sql<Omit<Took, "runs"> & { readonly costs: number; readonly durations: number; readonly counts: number }>`
    select run.item_id, item.version as item_version, min(item.cluster) as cluster, avg(run.cost) as cost, count(run.cost)::int as costs,
      avg(run.duration_ms) / 1000 as duration, count(run.duration_ms)::int as durations, avg(run.tokens)::double precision as tokens,
      count(run.tokens)::int as counts
    from observability.experiments as experiment
    join observability.experiment_runs as run on run.project_id = experiment.project_id and run.experiment_id = experiment.id and run.is_newest
      and run.state <> 'missing'
    join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
    where experiment.project_id = ${projectId}::uuid and experiment.id = any(${experimentIds}::uuid[]) and ${hasRoleIn(reader, "viewer", projectId)}
    group by run.item_id, item.version
    order by run.item_id, item.version`.execute(query);
  return rows.flatMap(({ costs, durations, counts, ...row }) =>
    toMeans({ ...row, runs: { cost: costs, duration: durations, tokens: counts } }),
  );
}

function toMeans({ item_id, item_version, cluster, runs, ...took }: Took): readonly ItemMean[] {
  const fixed = { item_id, item_version, cluster, source: "run", evaluator_version: "1", missing: 0, is_boolean: false } as const;
  return MEASURES.flatMap((name) => (took[name] === null ? [] : [{ ...fixed, name, mean: took[name], values: runs[name] }]));
}
