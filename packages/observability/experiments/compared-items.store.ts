import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { ExperimentRow } from "./experiments.store.ts";

export type Only = "all" | "worse" | "better" | "failed" | "missing";
type Wanted = InProject & {
  readonly candidate: ExperimentRow;
  readonly baselineIds: readonly string[];
  /** The score that is compared; undefined: the first by name. */
  readonly score: string | undefined;
  readonly only: Only;
  readonly after: readonly [change: number, itemId: string] | undefined;
  readonly limit: number;
};

const CHOSEN: Readonly<Record<Only, string>> = {
  all: "true",
  worse: "change < 0",
  better: "change > 0",
  failed: "failed > 0",
  missing: "ran < wanted",
};

/** Items of an experiment, those that became worse most first. `change`: candidate minus baseline, turned so that more is better; 0 where nothing can be told. */
export async function listItemIds(
  query: Query,
  { candidate, baselineIds, score, only, after, limit, projectId, reader }: Wanted,
): Promise<readonly { readonly item_id: string; readonly change: number }[]> {
  const lower = candidate.evaluators.filter((evaluator) => !evaluator.higher_is_better).map(({ name }) => name);
  const means = (ids: readonly string[]) => sql`
    select score.item_id, avg(score.value) as mean from observability.run_scores as score
    join observability.experiment_runs as run on run.project_id = score.project_id and run.experiment_id = score.experiment_id
      and run.item_id = score.item_id and run.repetition = score.repetition and run.attempt = score.attempt and run.is_newest
    where score.project_id = ${projectId}::uuid and score.experiment_id = any(${ids}::uuid[]) and score.name = (select name from chosen)
    group by score.item_id`;
  const { rows } = await sql<{ item_id: string; change: number }>`
    with chosen as materialized (
      select coalesce(${score ?? null}::text, (select min(score.name) from observability.run_scores as score
        where score.project_id = ${projectId}::uuid and score.experiment_id = ${candidate.id}::uuid)) as name
    ), mine as (${means([candidate.id])}), theirs as (${means(baselineIds)}), ran as (
      select run.item_id, count(*) filter (where run.state <> 'missing') as ran, count(*) filter (where run.state = 'failed') as failed
      from observability.experiment_runs as run
      where run.project_id = ${projectId}::uuid and run.experiment_id = ${candidate.id}::uuid and run.is_newest group by run.item_id
    ), item as (
      select item.item_id, coalesce(ran.ran, 0) as ran, coalesce(ran.failed, 0) as failed, ${candidate.repetitions}::int as wanted,
        coalesce(mine.mean - theirs.mean, 0) * case when (select name from chosen) = any(${lower}::text[]) then -1 else 1 end as change
      from observability.item_revisions as item left join ran using (item_id) left join mine using (item_id) left join theirs using (item_id)
      where item.project_id = ${projectId}::uuid and item.dataset_id = ${candidate.dataset_id}::uuid
        and item.version <= ${candidate.dataset_version}::int and (item.until_version is null or item.until_version > ${candidate.dataset_version}::int)
        and (${candidate.split}::text is null or item.split = ${candidate.split}::text) and ${hasRoleIn(reader, "viewer", projectId)}
    )
    select item_id, change from item
    where ${sql.raw(CHOSEN[only])} and ${after === undefined ? sql`true` : sql`(change, item_id) > (${after[0]}::double precision, ${after[1]}::uuid)`}
    order by change, item_id limit ${limit}`.execute(query);
  return rows;
}
