import { sql } from "kysely";
import type { ItemSource } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { ExperimentRow } from "./experiments.store.ts";

export type RequiredItem = {
  readonly item_id: string;
  readonly source: ItemSource | null;
  readonly repetitions: number;
  readonly failed: number;
  readonly reason: string | null;
};

/** How much of an experiment was measured. */
export type Measured = {
  /** Items of the version and split of which something is left. */
  readonly items: number;
  /** Their repetitions that ran, to a good or bad end. */
  readonly ran: number;
  /** Items that have checks. */
  readonly checked: number;
  readonly required: number;
  /** Required items of which a repetition was not judged: by its checks, or without these by a boolean score. */
  readonly unjudged: number;
};

type Wanted = InProject & { readonly experiment: ExperimentRow };

/** Items, and what became of each: `runs`, those that `failed`, and those that were `judged`. */
function outcomes({ projectId, reader, experiment }: Wanted) {
  const higher = experiment.evaluators.filter(({ higher_is_better: isHigher }) => isHigher).map(({ name }) => name);
  return sql`
    with item as (
      select item.item_id, item.is_required, item.source, json_array_length(item.checks) as checks from observability.item_revisions as item
      where item.project_id = ${projectId}::uuid and item.dataset_id = ${experiment.dataset_id}::uuid and item.redacted_at is null
        and item.version <= ${experiment.dataset_version}::int and (item.until_version is null or item.until_version > ${experiment.dataset_version}::int)
        and (${experiment.split}::text is null or item.split = ${experiment.split}::text) and ${hasRoleIn(reader, "viewer", projectId)}
    ), verdict as (
      select run.item_id, run.repetition, run.state, min(run.error) as error, min(score.value) as lowest,
        min(coalesce(score.explanation, '')) filter (where score.value < 1) as reason
      from observability.experiment_runs as run join item using (item_id)
      left join observability.run_scores as score on score.project_id = run.project_id and score.experiment_id = run.experiment_id
        and score.item_id = run.item_id and score.repetition = run.repetition and score.attempt = run.attempt
        and case when item.checks > 0 then score.source = 'check' else score.is_boolean and score.name = any(${higher}::text[]) end
      where run.project_id = ${projectId}::uuid and run.experiment_id = ${experiment.id}::uuid and run.is_newest
      group by run.item_id, run.repetition, run.state
    ), outcome as (
      select item.item_id, item.is_required, min(item.source::text)::json as source, item.checks,
        count(*) filter (where verdict.state in ('succeeded', 'failed'))::int as ran,
        count(*) filter (where verdict.state = 'failed' or verdict.lowest < 1)::int as failed,
        count(*) filter (where verdict.state = 'failed' or verdict.lowest is not null)::int as judged,
        min(coalesce(verdict.reason, verdict.error)) filter (where verdict.state = 'failed' or verdict.lowest < 1) as reason
      from item left join verdict using (item_id) group by item.item_id, item.is_required, item.checks
    )`;
}

export async function countMeasured(query: Query, wanted: Wanted): Promise<Measured> {
  const { rows } = await sql<Measured>`${outcomes(wanted)}
    select count(*)::int as items, coalesce(sum(ran), 0)::int as ran, (count(*) filter (where checks > 0))::int as checked,
      (count(*) filter (where is_required))::int as required,
      (count(*) filter (where is_required and judged < ${wanted.experiment.repetitions}::int))::int as unjudged
    from outcome`.execute(query);
  return rows[0] ?? { items: 0, ran: 0, checked: 0, required: 0, unjudged: 0 };
}

/** Required items of which a repetition failed, or was judged as bad. */
export async function listFailedRequired(
  query: Query,
  { limit, ...wanted }: Wanted & { readonly limit: number },
): Promise<readonly RequiredItem[]> {
  const { rows } = await sql<RequiredItem>`${outcomes(wanted)}
    select item_id, source, ran as repetitions, failed, reason from outcome where is_required and failed > 0 order by item_id limit ${limit}`.execute(
    query,
  );
  return rows;
}
