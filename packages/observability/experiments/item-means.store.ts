import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type Pooled = InProject & { readonly experimentIds: readonly string[] };

/** What one item scored under one name in one or several pooled experiments, over its repetitions. */
export type ItemMean = {
  readonly item_id: string;
  readonly source: "application" | "check";
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

/** By item and score; of the newest attempts of all repetitions. */
export async function listItemMeans(query: Query, { projectId, reader, experimentIds }: Pooled): Promise<readonly ItemMean[]> {
  if (experimentIds.length === 0) {
    return [];
  }
  const { rows } = await sql<ItemMean>`
    with mean as (
      select experiment.dataset_id, min(experiment.dataset_version) as dataset_version, score.item_id, score.source, score.name, score.evaluator_version,
        avg(score.value) as mean, count(score.value)::int as values, (count(*) - count(score.value))::int as missing, bool_and(score.is_boolean) as is_boolean
      from observability.experiments as experiment
      join observability.experiment_runs as run on run.project_id = experiment.project_id and run.experiment_id = experiment.id and run.is_newest
      join observability.run_scores as score on score.project_id = run.project_id and score.experiment_id = run.experiment_id
        and score.item_id = run.item_id and score.repetition = run.repetition and score.attempt = run.attempt
      where experiment.project_id = ${projectId}::uuid and experiment.id = any(${experimentIds}::uuid[]) and ${hasRoleIn(reader, "viewer", projectId)}
      group by experiment.dataset_id, score.item_id, score.source, score.name, score.evaluator_version
    )
    select mean.item_id, mean.source, mean.name, mean.evaluator_version, item.version as item_version, item.cluster, mean.mean, mean.values, mean.missing, mean.is_boolean
    from mean join observability.item_revisions as item on item.project_id = ${projectId}::uuid and item.dataset_id = mean.dataset_id
      and item.item_id = mean.item_id and item.version <= mean.dataset_version and (item.until_version is null or item.until_version > mean.dataset_version)`.execute(
    query,
  );
  return rows;
}

export type RequiredItem = {
  readonly item_id: string;
  readonly source: { readonly path?: string; readonly line?: number } | null;
  readonly repetitions: number;
  readonly failed: number;
  readonly reason: string | null;
};

/** Required items of an experiment of which a repetition failed, or did not pass its checks. */
export async function listFailedRequired(
  query: Query,
  { projectId, reader, experimentId, limit }: InProject & { readonly experimentId: string; readonly limit: number },
): Promise<readonly RequiredItem[]> {
  const { rows } = await sql<RequiredItem>`
    select run.item_id, min(item.source::text)::json as source, count(*)::int as repetitions, (count(*) filter (where run.state = 'failed' or score.value < 1))::int as failed,
      min(coalesce(score.explanation, run.error)) filter (where run.state = 'failed' or score.value < 1) as reason
    from observability.experiments as experiment
    join observability.experiment_runs as run on run.project_id = experiment.project_id and run.experiment_id = experiment.id and run.is_newest
    join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
    left join observability.run_scores as score on score.project_id = run.project_id and score.experiment_id = run.experiment_id
      and score.item_id = run.item_id and score.repetition = run.repetition and score.attempt = run.attempt and score.source = 'check'
    where experiment.project_id = ${projectId}::uuid and experiment.id = ${experimentId}::uuid and item.is_required and ${hasRoleIn(reader, "viewer", projectId)}
    group by run.item_id
    having count(*) filter (where run.state = 'failed' or score.value < 1) > 0
    order by run.item_id limit ${limit}`.execute(query);
  return rows;
}
