import { sql } from "kysely";
import type { KeptCalibration, ScoreDataType, ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

/** The newest of a name. */
const MAX_LABELS = 2_000;

export type Labelled = {
  readonly trace_id: string;
  /** The item of a run: its repetitions are of one half. */
  readonly item_id: string | null;
  readonly people: ScoreValue;
  readonly judge: ScoreValue;
};

type OfVersion = InProject & { readonly name: string; readonly version: number };

/** What people say of whole traces that a version of a judge has judged, also as runs: of each person the newest label; where labels differed and somebody settled it, theirs alone. */
export async function listLabelled(query: Query, { projectId, reader, name, version }: OfVersion): Promise<readonly Labelled[]> {
  const project = sql`${projectId}::uuid`;
  const { rows } = await sql<Labelled>`
    with newest as materialized (
      select trace_id, author, received_at, data_type, value, text_value, is_resolution from observability.scores
      where project_id = ${project} and name = ${name}::text and source = 'person' and observation_id is null and ${hasRoleIn(reader, "viewer", projectId)}
      order by received_at desc limit ${MAX_LABELS}
    ), label as materialized (
      select distinct on (trace_id, author) trace_id, ${toJson("newest")} as people from newest
      where is_resolution or trace_id not in (select trace_id from newest where is_resolution) order by trace_id, author, received_at desc
    )
    select label.trace_id, null::uuid as item_id, label.people, ${toJson("score")} as judge from label
    join observability.scores as score on score.project_id = ${project} and score.trace_id = label.trace_id and score.source = 'judge'
      and score.name = ${name}::text and score.evaluator_version = ${version}::int
    union all
    select label.trace_id, run.item_id, label.people,
      json_build_object('data_type', case when score.text_value is not null then 'category' when score.is_boolean then 'boolean' else 'number' end,
        'value', score.value, 'text_value', score.text_value) as judge
    from label
    join observability.experiment_runs as run on run.project_id = ${project} and run.trace_id = label.trace_id and run.is_newest
    join observability.run_scores as score on score.project_id = ${project} and score.experiment_id = run.experiment_id and score.item_id = run.item_id
      and score.repetition = run.repetition and score.attempt = run.attempt and score.source = 'judge' and score.name = ${name}::text
      and score.evaluator_version = ${String(version)}::text and (score.value is not null or score.text_value is not null)`.execute(query);
  return rows;
}

function toJson(table: string) {
  const of = sql.ref(table);
  return sql`json_build_object('data_type', ${of}.data_type, 'value', ${of}.value, 'text_value', ${of}.text_value)`;
}

/** How often a version of a judge has said what of traces. */
export async function countVerdicts(query: Query, { projectId, reader, name, version }: OfVersion, type: ScoreDataType) {
  const { rows } = await sql<{ value: number | null; text_value: string | null; count: number }>`
    select value, text_value, count(*)::int as count from observability.scores
    where project_id = ${projectId}::uuid and name = ${name}::text and source = 'judge' and evaluator_version = ${version}::int
      and ${hasRoleIn(reader, "viewer", projectId)} and ${type !== "number"}::boolean
    group by value, text_value`.execute(query);
  return rows.map(({ count, ...said }) => ({ count, said: { ...said, data_type: type } }));
}

export async function keepCalibration(query: Query, projectId: string, id: string, kept: KeptCalibration): Promise<void> {
  await sql`
    update observability.evaluators set calibration = ${JSON.stringify(kept)}::json, calibrated_at = now()
    where project_id = ${projectId}::uuid and id = ${id}::uuid`.execute(query);
}

/** Takes an evaluator whose labels nobody has looked at for some minutes. */
export async function takeUncalibrated(query: Query): Promise<{ readonly id: string; readonly project_id: string } | undefined> {
  const { rows } = await sql<{ id: string; project_id: string }>`
    update observability.evaluators set calibrated_at = now() where id = (
      select id from observability.evaluators where calibrated_at is null or calibrated_at < now() - interval '5 minutes'
      order by calibrated_at nulls first limit 1 for update skip locked
    ) returning id, project_id`.execute(query);
  return rows[0];
}
