import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isAfter, microsOf, type Position } from "./position.ts";

type Query = Kysely<ObservabilitySchema>;

export type ScoreSummary = {
  readonly id: string;
  readonly trace_id: string;
  readonly observation_id: string | null;
  readonly name: string;
  readonly value: number;
  readonly comment: string | null;
  readonly author: string | null;
  readonly scored_at: Date;
  readonly position: string;
};

type NewScore = {
  readonly id: string;
  readonly projectId: string;
  readonly traceId: string;
  readonly observationId: string | undefined;
  readonly name: string;
  readonly value: number;
  readonly comment: string | undefined;
  readonly author: string;
  readonly scoredAt: Date;
};

/** @returns false when the project has no such trace, or the trace no such observation. */
export async function insertScore(query: Query, score: NewScore): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.scores (project_id, trace_id, event_id, observation_id, name, value, comment, author, scored_at)
    select trace.project_id, trace.id, ${score.id}::uuid, ${score.observationId ?? null}::uuid, ${score.name}::text,
      ${score.value}::double precision, ${score.comment ?? null}::text, ${score.author}::text, ${score.scoredAt}::timestamptz
    from observability.traces as trace
    where trace.project_id = ${score.projectId} and trace.id = ${score.traceId} and (
      ${score.observationId ?? null}::uuid is null or exists (
        select from observability.observations as observation
        where observation.project_id = trace.project_id and observation.trace_id = trace.id and observation.day = trace.day
          and observation.id = ${score.observationId ?? null}::uuid
      )
    )
    returning event_id`.execute(query);
  return rows.length > 0;
}

type ScoreFilter = {
  readonly projectId: string;
  readonly traceId: string | undefined;
  readonly name: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Newest first. */
export async function listScores(query: Query, { projectId, traceId, name, after, limit }: ScoreFilter): Promise<readonly ScoreSummary[]> {
  let rows = query
    .selectFrom("observability.scores as score")
    .select([
      "score.event_id as id",
      "score.trace_id",
      "score.observation_id",
      "score.name",
      "score.value",
      "score.comment",
      "score.author",
      "score.scored_at",
      microsOf("score.scored_at").as("position"),
    ])
    .where("score.project_id", "=", projectId);
  if (traceId !== undefined) {
    rows = rows.where("score.trace_id", "=", traceId);
  }
  if (name !== undefined) {
    rows = rows.where("score.name", "=", name);
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("score.scored_at", "score.event_id", after));
  }
  return rows.orderBy("score.scored_at", "desc").orderBy("score.event_id", "desc").limit(limit).execute();
}

/** Only what was given here: what came from the application would come again. With an author, only theirs. */
export async function deleteScore(
  query: Query,
  { projectId, id, author }: { readonly projectId: string; readonly id: string; readonly author: string | undefined },
): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("observability.scores")
    .where("project_id", "=", projectId)
    .where("event_id", "=", id)
    .where(author === undefined ? sql<boolean>`author is not null` : sql<boolean>`author = ${author}`)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
