import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { selectInstant, selectMicros, type Position } from "#store/position.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

export type DeletionRow = {
  readonly id: string;
  readonly kind: "traces" | "user";
  readonly requested_by: string;
  readonly requested_at: Date;
  readonly emptied_at: Date | null;
  readonly finished_at: Date | null;
  readonly traces: number;
  readonly scores: number;
  readonly dead_letters: number;
  readonly position: string;
};

const columns = sql`id, kind, requested_by, requested_at, emptied_at, finished_at, traces, scores, dead_letters, ${selectMicros("requested_at")} as position`;

type NewDeletion = OneInProject & {
  readonly by: string;
  /** The user whose traces are deleted in the background. A deletion of the same user that runs already goes on, and no other begins. */
  readonly userId?: string;
};

/** @returns the id of the deletion that is recorded; undefined where the reader is no owner. */
export async function recordDeletion(query: Query, { projectId, reader, id, by, userId }: NewDeletion): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with running as (
      select id from observability.deletions
      where project_id = ${projectId}::uuid and user_id = ${userId ?? null}::text and ${hasRoleIn(reader, "owner", projectId)} limit 1
    ), begun as (
      insert into observability.deletions (project_id, id, kind, user_id, requested_by)
      select ${projectId}::uuid, ${id}::uuid, ${userId === undefined ? "traces" : "user"}::text, ${userId ?? null}::text, ${by}::text
      where ${hasRoleIn(reader, "owner", projectId)} and not exists (select from running)
      returning id
    )
    select id from running union all select id from begun`.execute(query);
  return rows[0]?.id;
}

export async function findDeletion(query: Query, { projectId, reader, id }: OneInProject): Promise<DeletionRow | undefined> {
  const { rows } = await sql<DeletionRow>`
    select ${columns} from observability.deletions
    where project_id = ${projectId}::uuid and id = ${id}::uuid and ${hasRoleIn(reader, "owner", projectId)}`.execute(query);
  return rows[0];
}

type Page = InProject & { readonly after: Position | undefined; readonly limit: number };

export async function listDeletions(query: Query, { projectId, reader, after, limit }: Page): Promise<readonly DeletionRow[]> {
  const isAfter = after === undefined ? sql`true` : sql`(requested_at, id) < (${selectInstant(after.micros)}, ${after.id}::uuid)`;
  const { rows } = await sql<DeletionRow>`
    select ${columns} from observability.deletions
    where project_id = ${projectId}::uuid and ${isAfter} and ${hasRoleIn(reader, "owner", projectId)}
    order by requested_at desc, id desc limit ${limit}`.execute(query);
  return rows;
}

export type Unfinished = {
  readonly project_id: string;
  readonly id: string;
  readonly user_id: string | null;
  readonly requested_by: string;
  /** Whether it is asked for so long ago that what was on its way then is written. */
  readonly is_settled: boolean;
};

/** Lists some of those with rows to be deleted, the oldest first. */
export async function listUnemptied(query: Query, settledBefore: Date): Promise<readonly Unfinished[]> {
  const { rows } = await sql<Unfinished>`
    select project_id, id, user_id, requested_by, requested_at <= ${settledBefore}::timestamptz as is_settled
    from observability.deletions where finished_at is null and emptied_at is null order by requested_at limit 100`.execute(query);
  return rows;
}

/** From now on the record says nothing of whose traces they were. */
export async function noteEmptied(query: Query, { project_id: projectId, id }: Unfinished): Promise<void> {
  await sql`
    update observability.deletions set user_id = null, emptied_at = now()
    where project_id = ${projectId}::uuid and id = ${id}::uuid`.execute(query);
}

/** Finishes those whose contents are gone, or were needed by others. @returns how many are left. */
export async function finishDeletions(query: Query): Promise<number> {
  await sql`
    update observability.deletions as deletion set finished_at = now()
    where finished_at is null and emptied_at is not null and not exists (
      select from observability.released_blobs as blob
      where blob.project_id = deletion.project_id and blob.released_at <= deletion.emptied_at
    )`.execute(query);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from observability.deletions where finished_at is null`.execute(query);
  return rows[0]?.count ?? 0;
}

/** By the clock that the other times here are of. */
export async function findTimeBefore(query: Query, seconds: number): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() - ${seconds} * interval '1 second' as at`.execute(query);
  return rows[0]?.at ?? new Date(0);
}
