import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hourOf } from "#counting/packed-columns.ts";
import { forgetTraces } from "#issues/settle-issues.store.ts";
import { deleteComments } from "#store/comments.store.ts";
import { forgetJudgements } from "#store/forget-judgements.store.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { releaseBlobs } from "#store/release-blobs.store.ts";
import { selectBeginning } from "#store/segments.ts";
import { deleteDeadLetters, namesTrace, type RecordedDeletion } from "./dead-letters.store.ts";

/** With all their steps, in one transaction. */
const DELETED_AT_ONCE = 50;

type Chosen = InProject & {
  /** Ids of the list's entries, or of runs. */
  readonly ids: readonly string[];
  /** Where it is counted; nowhere when what was counted comes once more. */
  readonly deletion?: RecordedDeletion;
  /** Whether they go because a user goes. */
  readonly isOfUser?: boolean;
};

/** With their steps, scores, dead letters, figures and issues; contents that nobody else needs follow. @returns how many of them there were. */
export async function deleteTraces(query: Query, { ids, ...chosen }: Chosen): Promise<number> {
  let deleted = 0;
  for (let first = 0; first < ids.length; first += DELETED_AT_ONCE) {
    deleted += await deleteSome(query, { ...chosen, ids: ids.slice(first, first + DELETED_AT_ONCE) });
  }
  return deleted;
}

async function deleteSome(query: Query, { projectId, reader, ids, deletion, isOfUser = false }: Chosen): Promise<number> {
  const isChosen = sql`trace.project_id = ${projectId}::uuid and ${hasRoleIn(reader, "owner", projectId)} and trace.id in (
    select unnest(${ids}::uuid[])
    union select unnest(runs) from observability.trace_entries where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[])
  )`;
  // Dead letters go first: they are found by the traces, which are gone afterwards.
  const { rows: named } = await sql<{ id: string }>`select trace.id from observability.traces as trace where ${isChosen}`.execute(query);
  await deleteDeadLetters(query, { projectId, ...(deletion && { deletion }), isMeant: namesTrace(named.map(({ id }) => id)) });
  return query.transaction().execute(async (transaction) => {
    // Locked first, as writers do; a trace's row holds the day of all rows below it.
    const { rows: runs } = await sql<{ id: string; day: string }>`
      select trace.id, trace.day::text as day from observability.traces as trace where ${isChosen}
      order by trace.id for update of trace`.execute(transaction);
    const given = sql`json_to_recordset(${JSON.stringify(runs)}) as run (id uuid, day date)`;
    const isOfRun = sql`row.project_id = ${projectId}::uuid and row.trace_id = run.id and row.day = run.day`;
    await sql`
      insert into observability.hourly_marks (project_id, day, hour)
      select row.project_id, row.day, row.hour from observability.observations as row join ${given} on ${isOfRun}
      union
      select row.project_id, row.day, ${hourOf(sql`row.sort_at`)}
      from observability.traces as row join ${given} on row.project_id = ${projectId}::uuid and row.id = run.id`.execute(transaction);
    // Where a later run goes alone, the trace that it was of is to be counted without it. Asked apart: Citus inserts from no recursion.
    const { rows: beginnings } = await sql<{ id: string }>`
      select ${selectBeginning(sql`${projectId}::uuid`, sql`row.id`)} as id
      from observability.traces as row join ${given} on row.project_id = ${projectId}::uuid and row.id = run.id`.execute(transaction);
    await sql`
      insert into observability.trace_marks (project_id, trace_id)
      select distinct ${projectId}::uuid, unnest(${[...runs, ...beginnings].map(({ id }) => id)}::uuid[])`.execute(transaction);
    await deleteComments(
      transaction,
      projectId,
      sql`(comment.within_id = any(${runs.map(({ id }) => id)}::uuid[]) or (comment.subject = 'step' and comment.subject_id in (
        select row.id from observability.observations as row join ${given} on ${isOfRun})) or (comment.subject = 'score' and comment.subject_id in (
        select row.event_id from observability.scores as row join ${given} on row.project_id = ${projectId}::uuid and row.trace_id = run.id)))`,
    );
    for (const table of ["observations", "payloads"]) {
      await sql`delete from ${sql.table(`observability.${table}`)} as row using ${given} where ${isOfRun}`.execute(transaction);
    }
    const isOfTrace = sql`row.project_id = ${projectId}::uuid and row.trace_id = run.id`;
    const scores = await sql`delete from observability.scores as row using ${given} where ${isOfTrace}`.execute(transaction);
    const gone = runs.map(({ id }) => id);
    await sql`delete from observability.annotations as row using ${given} where ${isOfTrace}`.execute(transaction);
    await forgetTraces(transaction, projectId, gone);
    await forgetJudgements(
      transaction,
      { projectId, isOfUser },
      sql`judgement.trace_id = any(${gone}::uuid[]) and judgement.item_id is null`,
    );
    await releaseBlobs(transaction, projectId, gone);
    await sql`
      insert into observability.deleted_traces as row (project_id, trace_id, is_of_user)
      select ${projectId}::uuid, run.id, ${isOfUser}::boolean from ${given} order by run.id
      on conflict (project_id, trace_id) do update
        set deleted_at = excluded.deleted_at, is_of_user = row.is_of_user or excluded.is_of_user`.execute(transaction);
    await sql`
      delete from observability.traces as row using ${given} where row.project_id = ${projectId}::uuid and row.id = run.id`.execute(
      transaction,
    );
    const found = new Set(runs.map(({ id }) => id));
    const traces = ids.filter((id) => found.has(id)).length;
    if (deletion === undefined) {
      return traces;
    }
    await sql`
      update observability.deletions set traces = traces + ${traces}::bigint, scores = scores + ${Number(scores.numAffectedRows ?? 0n)}::bigint
      where project_id = ${projectId}::uuid and id = ${deletion.id}::uuid`.execute(transaction);
    return traces;
  });
}
