import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";

/**
 * Takes away what became of traces or runs that were to be judged, in the transaction that deletes their contents and has locked them. The traces of
 * their judges, which quote them, are noted as deleted: those that are there go within seconds, and those that are on their way when they come.
 *
 * @param isMeant Of a `judgement`.
 */
export async function forgetJudgements(
  transaction: Query,
  { projectId, isOfUser }: { readonly projectId: string; readonly isOfUser: boolean },
  isMeant: RawBuilder<boolean>,
): Promise<void> {
  const { rows } = await sql<{ judge_traces: readonly string[] }>`
    delete from observability.judgements as judgement where judgement.project_id = ${projectId}::uuid and ${isMeant}
    returning judge_traces`.execute(transaction);
  await noteDeleted(
    transaction,
    { projectId, isOfUser },
    rows.flatMap((row) => row.judge_traces),
  );
}

/** Traces of the platform's own that go: at once, or when they come. */
export async function noteDeleted(
  transaction: Query,
  { projectId, isOfUser }: { readonly projectId: string; readonly isOfUser: boolean },
  traceIds: readonly string[],
): Promise<void> {
  await sql`
    insert into observability.deleted_traces as row (project_id, trace_id, is_of_user)
    select distinct ${projectId}::uuid, id, ${isOfUser}::boolean from unnest(${[...traceIds]}::uuid[]) as given (id) order by id
    on conflict (project_id, trace_id) do update
      set deleted_at = excluded.deleted_at, is_of_user = row.is_of_user or excluded.is_of_user`.execute(transaction);
}
