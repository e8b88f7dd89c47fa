import { sql } from "kysely";
import type { Score, ScoreDataType, ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { listCalibrations, type Calibrations } from "#store/calibrations.store.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRole, hasRoleIn, type InProject, type ProjectRole, type Reader } from "#store/reader.ts";

export type ScoreSummary = {
  readonly id: string;
  readonly trace_id: string;
  readonly observation_id: string | null;
  readonly name: string;
  readonly data_type: ScoreDataType;
  readonly value: number | null;
  readonly text_value: string | null;
  readonly comment: string | null;
  readonly source: Score["source"];
  readonly author: string | null;
  readonly evaluator_version: number | null;
  readonly judge_trace_id: string | null;
  readonly is_calibrated: boolean | null;
  readonly queue_id: string | null;
  readonly is_resolution: boolean;
  readonly scored_at: Date;
  readonly position: string;
};

/** The most that a trace may have before the API gives it no more. */
export const MAX_SCORES = 1_000;

type NewScore = InProject & {
  readonly id: string;
  readonly traceId: string;
  readonly observationId: string | undefined;
  readonly name: string;
  readonly value: ScoreValue;
  readonly comment: string | undefined;
  readonly source: Score["source"];
  /** Null: the application. */
  readonly author: string | null;
  readonly needed: ProjectRole;
  readonly scoredAt: Date;
};

/** @returns false when the project has no such trace, or the trace no such observation. */
export async function insertScore(query: Query, { value, ...score }: NewScore): Promise<boolean> {
  const { rows } = await sql`
    with given as (
    insert into observability.scores as score (project_id, trace_id, event_id, observation_id, name, data_type, value, text_value, comment, source, author,
      scored_at)
    select trace.project_id, trace.id, ${score.id}::uuid, ${score.observationId ?? null}::uuid, ${score.name}::text,
      ${value.data_type}::text, ${value.value}::double precision, ${value.text_value}::text, ${score.comment ?? null}::text, ${score.source}::text,
      ${score.author}::text, ${score.scoredAt}::timestamptz
    from observability.traces as trace
    join observability.projects as project on project.id = trace.project_id and ${hasRole(score.reader, score.needed)}
    where trace.project_id = ${score.projectId} and trace.id = ${score.traceId} and (
      ${score.observationId ?? null}::uuid is null or exists (
        select from observability.observations as observation
        where observation.project_id = ${score.projectId}::uuid and observation.trace_id = trace.id and observation.day = trace.day
          and observation.id = ${score.observationId ?? null}::uuid
      )
    )
    returning score.project_id, score.trace_id
    ), marked as (
      insert into observability.trace_marks (project_id, trace_id) select project_id, trace_id from given
    )
    select trace_id from given`.execute(query);
  return rows.length > 0;
}

/** Whether a trace has so many scores that it takes no more: a key in a browser is anybody's. */
export async function hasAllScores(query: Query, projectId: string, traceId: string): Promise<boolean> {
  const rows = await query
    .selectFrom("observability.scores")
    .select("event_id")
    .where("project_id", "=", projectId)
    .where("trace_id", "=", traceId)
    .limit(MAX_SCORES)
    .execute();
  return rows.length === MAX_SCORES;
}

type ScoreFilter = InProject & {
  readonly traceId: string | undefined;
  readonly name: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Lists scores, newest first. */
export async function listScores(query: Query, filter: ScoreFilter): Promise<readonly ScoreSummary[]> {
  const { projectId, reader, traceId, name, after, limit } = filter;
  let rows = query
    .selectFrom("observability.scores as score")
    .select([
      "score.event_id as id",
      "score.trace_id",
      "score.observation_id",
      "score.name",
      "score.data_type",
      "score.value",
      "score.text_value",
      "score.comment",
      "score.source",
      "score.author",
      "score.evaluator_version",
      "score.judge_trace_id",
      "score.queue_id",
      "score.is_resolution",
      "score.scored_at",
      selectMicros("score.scored_at").as("position"),
    ])
    .where("score.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
  if (traceId !== undefined) {
    rows = rows.where("score.trace_id", "=", traceId);
  }
  if (name !== undefined) {
    rows = rows.where("score.name", "=", name);
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("score.scored_at", "score.event_id", after));
  }
  const found = await rows.orderBy("score.scored_at", "desc").orderBy("score.event_id", "desc").limit(limit).execute();
  const calibrations: Calibrations = found.some(({ source }) => source === "judge")
    ? await listCalibrations(query, { projectId, reader })
    : new Map();
  return found.map((row) => {
    const { version, is_calibrated: isCalibrated } = calibrations.get(row.name) ?? {};
    return { ...row, is_calibrated: row.source === "judge" ? version === row.evaluator_version && isCalibrated === true : null };
  });
}

/** Deletes a score that was given here; one from the application would arrive again. Editors delete their own, owners any. */
export async function deleteScore(
  query: Query,
  { projectId, id, reader, author }: { readonly projectId: string; readonly id: string; readonly reader: Reader; readonly author: string },
): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from observability.scores
      where project_id = ${projectId}::uuid and event_id = ${id}::uuid and author is not null and (
        ${hasRoleIn(reader, "owner", projectId)} or (author = ${author} and ${hasRoleIn(reader, "editor", projectId)})
      )
      returning project_id, trace_id
    ), marked as (
      insert into observability.trace_marks (project_id, trace_id) select project_id, trace_id from gone
    ), uncommented as (
      delete from observability.comments
      where project_id = ${projectId}::uuid and subject = 'score' and subject_id = ${id}::uuid and exists (select from gone)
    )
    select trace_id from gone`.execute(query);
  return rows.length > 0;
}

/** Lists score names alphabetically, each by one read of the index. */
export async function listScoreNames(
  query: Query,
  { reader, projectId, limit }: InProject & { readonly limit: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive known as (
      (
        select score.name
        from observability.projects as project join observability.scores as score on score.project_id = project.id
        where project.id = ${projectId} and ${hasRole(reader, "viewer")}
        order by score.name limit 1
      )
      union all
      select (
        select score.name from observability.scores as score
        where score.project_id = ${projectId} and score.name > known.name order by score.name limit 1
      )
      from known where known.name is not null
    )
    select name from known where name is not null limit ${limit}`.execute(query);
  return rows.map(({ name }) => name);
}
