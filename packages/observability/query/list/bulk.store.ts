import { sql } from "kysely";
import type { ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

type Chosen = InProject & { /** Of the list's entries. */ readonly ids: readonly string[] };

/** Tags of one trace that were given here. */
const MAX_TAGS = 50;

/** Locks them in the order in which writers do. @returns how many of them there are. Tags that the application gave are not taken away. */
export async function tagTraces(
  query: Query,
  { projectId, reader, ids, add, remove }: Chosen & { readonly add: readonly string[]; readonly remove: readonly string[] },
): Promise<number> {
  const { rows } = await sql<{ traces: number }>`
    with chosen as materialized (
      select trace.id from observability.traces as trace
      where trace.project_id = ${projectId}::uuid and trace.id = any(${ids}::uuid[]) and ${hasRoleIn(reader, "editor", projectId)}
      order by trace.id for update of trace
    ), tagged as (
      update observability.traces as trace set tags = nullif(array(
        select tag from (select unnest(trace.tags) union select unnest(${add}::text[])) as own (tag)
        where tag <> all(${remove}::text[]) order by tag limit ${MAX_TAGS}
      ), '{}')
      from chosen where trace.project_id = ${projectId}::uuid and trace.id = chosen.id
      returning trace.project_id, trace.id
    ), marked as (
      insert into observability.trace_marks (project_id, trace_id) select project_id, id from tagged
    )
    select count(*) as traces from tagged`.execute(query);
  return rows[0]?.traces ?? 0;
}

type NewScore = {
  readonly name: string;
  readonly value: ScoreValue;
  readonly comment: string | undefined;
  readonly author: string;
  readonly scoredAt: Date;
};

/** Gives each the same score, in place of one of that name that its author gave so before. @returns how many of them there are. */
export async function scoreTraces(
  query: Query,
  { projectId, reader, ids, name, value, comment, author, scoredAt }: Chosen & NewScore,
): Promise<number> {
  // The id follows from what is scored, so that a repeated score replaces itself; a UUID of version 8 (RFC 9562), whose other bits are anyone's.
  const digest = sql`md5(concat_ws(' ', trace.id, ${author}::text, ${name}::text))`;
  const { rows } = await sql<{ traces: number }>`
    with given as (
    insert into observability.scores as score (project_id, trace_id, event_id, name, data_type, value, text_value, comment, source, author, scored_at)
    select trace.project_id, trace.id, overlay(overlay(${digest} placing '8' from 13) placing '8' from 17)::uuid, ${name}::text,
      ${value.data_type}::text, ${value.value}::double precision, ${value.text_value}::text, ${comment ?? null}::text, 'person', ${author}::text, ${scoredAt}::timestamptz
    from observability.traces as trace
    where trace.project_id = ${projectId}::uuid and trace.id = any(${ids}::uuid[]) and ${hasRoleIn(reader, "editor", projectId)}
    on conflict (project_id, trace_id, event_id) do update
      set data_type = excluded.data_type, value = excluded.value, text_value = excluded.text_value, comment = excluded.comment, scored_at = excluded.scored_at
    returning score.project_id, score.trace_id
    ), marked as (
      insert into observability.trace_marks (project_id, trace_id) select project_id, trace_id from given
    )
    select count(*) as traces from given`.execute(query);
  return rows[0]?.traces ?? 0;
}
