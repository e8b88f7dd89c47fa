import { sql } from "kysely";
import type { ItemSource } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { ExperimentRow } from "./experiments.store.ts";
import { OF_NEWEST_ATTEMPT, type RunRow } from "./runs.store.ts";

export type Only = "all" | "worse" | "better" | "failed" | "missing" | "failing";
type Wanted = InProject & {
  readonly candidate: ExperimentRow;
  readonly baselineIds: readonly string[];
  /** The score that is compared; undefined: the first by name. */
  readonly score: string | undefined;
  readonly only: Only;
  readonly after: readonly [change: number, itemId: string] | undefined;
  readonly limit: number;
};

/** Characters of a JSON text; the rest never leaves the database. */
const SHOWN = 2_000;

const CHOSEN: Readonly<Record<Only, string>> = {
  all: "true",
  worse: "change < 0",
  better: "change > 0",
  failed: "failed > 0",
  /** By a score that is 1 when all is well. */
  failing: "failed > 0 or mean < 1",
  missing: "ran < wanted",
};

/** An item of a page, with what of its texts is shown. */
export type ComparedItem = {
  readonly item_id: string;
  readonly change: number;
  readonly input: string;
  readonly expected: string;
  readonly is_required: boolean;
  readonly split: string | null;
  readonly source: ItemSource | null;
};
export type ShownRun = Pick<RunRow, "item_id" | "repetition" | "state" | "error" | "trace_id" | "place"> & { readonly output: string };
export type ShownScore = {
  readonly item_id: string;
  readonly name: string;
  readonly source: string;
  readonly mean: number | null;
  readonly text_value: string | null;
  readonly explanation: string | null;
};

/** Items of an experiment, those that became worse most first. `change`: candidate minus baseline, turned so that more is better; 0 where nothing can be told. */
export async function listItems(
  query: Query,
  { candidate, baselineIds, score, only, after, limit, projectId, reader }: Wanted,
): Promise<readonly ComparedItem[]> {
  const lower = candidate.evaluators.filter((evaluator) => !evaluator.higher_is_better).map(({ name }) => name);
  const means = (ids: readonly string[]) => sql`
    select score.item_id, avg(score.value) as mean from observability.run_scores as score
    where score.project_id = ${projectId}::uuid and score.experiment_id = any(${ids}::uuid[]) and score.name = (select name from chosen)
      and ${OF_NEWEST_ATTEMPT} group by score.item_id`;
  const { rows } = await sql<ComparedItem>`
    with chosen as materialized (
      select coalesce(${score ?? null}::text, (select min(score.name) from observability.run_scores as score
        where score.project_id = ${projectId}::uuid and score.experiment_id = ${candidate.id}::uuid)) as name
    ), mine as materialized (${means([candidate.id])}), theirs as materialized (${means(baselineIds)}), ran as materialized (
      select run.item_id, count(*) filter (where run.state <> 'missing') as ran, count(*) filter (where run.state = 'failed') as failed
      from observability.experiment_runs as run
      where run.project_id = ${projectId}::uuid and run.experiment_id = ${candidate.id}::uuid and run.is_newest group by run.item_id
    ), item as (
      select item.item_id, item.version, mine.mean, coalesce(ran.ran, 0) as ran, coalesce(ran.failed, 0) as failed, ${candidate.repetitions}::int as wanted,
        coalesce(mine.mean - theirs.mean, 0) * case when (select name from chosen) = any(${lower}::text[]) then -1 else 1 end as change
      from observability.item_revisions as item left join ran using (item_id) left join mine using (item_id) left join theirs using (item_id)
      where item.project_id = ${projectId}::uuid and item.dataset_id = ${candidate.dataset_id}::uuid
        and item.version <= ${candidate.dataset_version}::int and (item.until_version is null or item.until_version > ${candidate.dataset_version}::int)
        and (${candidate.split}::text is null or item.split = ${candidate.split}::text) and ${hasRoleIn(reader, "viewer", projectId)}
    ), page as (
      select item_id, version, change from item
      where (${sql.raw(CHOSEN[only])}) and ${after === undefined ? sql`true` : sql`(change, item_id) > (${after[0]}::double precision, ${after[1]}::uuid)`}
      order by change, item_id limit ${limit}
    )
    select page.item_id, page.change, left(item.input::text, ${SHOWN}) as input, left(item.expected::text, ${SHOWN}) as expected, item.is_required, item.split, item.source
    from page join observability.item_revisions as item on item.project_id = ${projectId}::uuid and item.dataset_id = ${candidate.dataset_id}::uuid
      and item.item_id = page.item_id and item.version = page.version
    order by page.change, page.item_id`.execute(query);
  return rows;
}

type OfItems = InProject & { readonly experimentIds: readonly string[]; readonly itemIds: readonly string[] };

/** Their newest attempts, with what of the outputs is shown. */
export async function listShownRuns(query: Query, { projectId, reader, experimentIds, itemIds }: OfItems): Promise<readonly ShownRun[]> {
  const { rows } = await sql<ShownRun>`
    select run.item_id, run.repetition, run.state, left(run.output::text, ${SHOWN}) as output, run.error, run.trace_id, run.place
    from observability.experiment_runs as run
    where run.project_id = ${projectId}::uuid and run.experiment_id = any(${experimentIds}::uuid[]) and run.item_id = any(${itemIds}::uuid[])
      and run.is_newest and ${hasRoleIn(reader, "viewer", projectId)}
    order by array_position(${experimentIds}::uuid[], run.experiment_id), run.repetition`.execute(query);
  return rows;
}

/** The means of their scores over repetitions and experiments. */
export async function listShownScores(
  query: Query,
  { projectId, reader, experimentIds, itemIds }: OfItems,
): Promise<readonly ShownScore[]> {
  const { rows } = await sql<ShownScore>`
    select score.item_id, score.name, score.source, avg(score.value) as mean, string_agg(distinct score.text_value, ', ') as text_value,
      coalesce(min(score.explanation), min(score.error)) as explanation
    from observability.run_scores as score
    where score.project_id = ${projectId}::uuid and score.experiment_id = any(${experimentIds}::uuid[]) and score.item_id = any(${itemIds}::uuid[])
      and ${OF_NEWEST_ATTEMPT} and ${hasRoleIn(reader, "viewer", projectId)}
    group by score.item_id, score.name, score.source order by score.name, score.source`.execute(query);
  return rows;
}
