import { sql } from "kysely";
import type { Query } from "#schema.ts";

const AT_ONCE = 500;

/** Some of the traces that were deleted and are there again, since events of theirs came later. */
export async function findDeletedAgain(query: Query): Promise<readonly { readonly project_id: string; readonly id: string }[]> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select trace.project_id, trace.id
    from observability.deleted_traces as deleted
    join observability.traces as trace on trace.project_id = deleted.project_id and trace.id = deleted.trace_id
    limit ${AT_ONCE}`.execute(query);
  return rows;
}

/** The most traces whose dead letters are looked for once more. */
const LATE_TRACES = 10_000;

/** The traces of the project that were deleted since a deletion was asked for, the newest first. */
export async function listDeletedSince(
  query: Query,
  { project_id: projectId, id }: { readonly project_id: string; readonly id: string },
): Promise<readonly { readonly trace_id: string; readonly is_of_user: boolean }[]> {
  const { rows } = await sql<{ trace_id: string; is_of_user: boolean }>`
    select deleted.trace_id, deleted.is_of_user
    from observability.deletions as deletion
    join observability.deleted_traces as deleted on deleted.project_id = deletion.project_id and deleted.deleted_at >= deletion.requested_at
    where deletion.project_id = ${projectId}::uuid and deletion.id = ${id}::uuid
    order by deleted.deleted_at desc limit ${LATE_TRACES}`.execute(query);
  return rows;
}

/** How long events of a deleted trace are expected. */
const REMEMBERED = "1 day";

export async function forgetDeletedTraces(query: Query): Promise<void> {
  await sql`delete from observability.deleted_traces where deleted_at < now() - ${REMEMBERED}::interval`.execute(query);
}
