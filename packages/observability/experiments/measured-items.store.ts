import { sql } from "kysely";
import { ITEM_CHECKS, type ItemSource } from "#contract.ts";
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
  /** Required items of which a repetition failed, or was judged as bad: the first of them. */
  readonly failed: readonly RequiredItem[];
};

type Wanted = InProject & { readonly experiment: ExperimentRow };

const MAX_FAILED = 100;

/** Of scores only those of required items are read, and of items what is told; an experiment may be large. */
export async function measureItems(query: Query, { projectId, reader, experiment }: Wanted): Promise<Measured> {
  const higher = experiment.evaluators.filter(({ higher_is_better: isHigher }) => isHigher).map(({ name }) => name);
  const { rows } = await sql<Measured>`
    with item as materialized (
      select item.item_id, item.version, item.is_required, json_array_length(item.checks) as checks from observability.item_revisions as item
      where item.project_id = ${projectId}::uuid and item.dataset_id = ${experiment.dataset_id}::uuid and item.redacted_at is null
        and item.version <= ${experiment.dataset_version}::int and (item.until_version is null or item.until_version > ${experiment.dataset_version}::int)
        and (${experiment.split}::text is null or item.split = ${experiment.split}::text) and ${hasRoleIn(reader, "viewer", projectId)}
    ), run as materialized (
      select run.item_id, run.repetition, run.attempt, run.state, run.error from observability.experiment_runs as run join item using (item_id)
      where run.project_id = ${projectId}::uuid and run.experiment_id = ${experiment.id}::uuid and run.is_newest and run.state <> 'missing'
    ), verdict as (
      select item.item_id, item.version, run.state = 'failed' or min(score.value) < 1 as has_failed, run.state = 'failed' or min(score.value) is not null as is_judged,
        coalesce(min(coalesce(score.explanation, '')) filter (where score.value < 1), min(run.error)) as reason, run.repetition
      from item left join run using (item_id)
      left join observability.run_scores as score on score.project_id = ${projectId}::uuid and score.experiment_id = ${experiment.id}::uuid
        and score.item_id = run.item_id and score.repetition = run.repetition and score.attempt = run.attempt
        and case when item.checks > 0 then score.source = 'check' and score.name = ${ITEM_CHECKS}::text else score.source = 'application' and score.is_boolean and score.name = any(${higher}::text[]) end
      where item.is_required group by item.item_id, item.version, run.repetition, run.state
    ), required as (
      select item_id, version, count(repetition)::int as repetitions, count(*) filter (where has_failed)::int as failed,
        count(*) filter (where is_judged)::int as judged, min(reason) filter (where has_failed) as reason
      from verdict group by item_id, version
    ), bad as (
      select required.item_id, item.source, required.repetitions, required.failed, required.reason from required
      join observability.item_revisions as item on item.project_id = ${projectId}::uuid and item.dataset_id = ${experiment.dataset_id}::uuid
        and item.item_id = required.item_id and item.version = required.version
      where required.failed > 0 order by required.item_id limit ${MAX_FAILED}
    )
    select count(*)::int as items, (select count(*)::int from run) as ran, (count(*) filter (where checks > 0))::int as checked,
      (count(*) filter (where is_required))::int as required,
      (select count(*)::int from required where judged < ${experiment.repetitions}::int) as unjudged,
      (select coalesce(json_agg(bad order by item_id), '[]') from bad) as failed
    from item`.execute(query);
  return rows[0] ?? { items: 0, ran: 0, checked: 0, required: 0, unjudged: 0, failed: [] };
}
