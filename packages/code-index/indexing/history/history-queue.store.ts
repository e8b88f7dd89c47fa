import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A worker that was silent for longer has lost its history. */
const LEASE_MS = 60_000;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;

/** A branch whose history is to be fetched; the worker's id is the fence. */
export type ClaimedHistory = {
  readonly refId: string;
  readonly workerId: string;
  readonly tenantId: string;
  readonly repoId: string;
  readonly ref: string;
  readonly cloneUrl: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The commit that is indexed, and the one that was when the history was fetched before. */
  readonly commit: string;
  readonly base: string | null;
};

type Moment = { readonly now: Date };

/**
 * Takes a branch whose index has moved on since its history was fetched, or of which more commits are wanted, the one that was
 * tried longest ago; `undefined` when there is none. Any number of processes may do so.
 */
export async function claimHistory(
  database: CodeIndexDatabase,
  { workerId, depth, now }: Moment & { readonly workerId: string; readonly depth: number },
): Promise<ClaimedHistory | undefined> {
  const silent = new Date(now.getTime() - LEASE_MS);
  const { rows } = await sql<ClaimedHistory>`
    with due as (
      select ref.ref_id
      from codeindex.refs as ref
      join codeindex.repositories as repository on repository.id = ref.repo_id
      join codeindex.tenants as tenant on tenant.tenant_id = ref.tenant_id
      left join codeindex.histories as history on history.ref_id = ref.ref_id
      where repository.deleting_at is null and tenant.deleting_at is null and ref.generation is not null and ref.indexed_commit is not null
        and (history.ref_id is null or history.commit is distinct from ref.indexed_commit or history.depth < ${depth})
        and (history.not_before is null or history.not_before <= ${now})
        and (history.worker_id is null or history.heartbeat_at <= ${silent})
      order by history.tried_at nulls first
      limit 1
    ), claimed as (
      insert into codeindex.histories as history (ref_id, worker_id, heartbeat_at, tried_at)
      select ref_id, ${workerId}, ${now}, ${now} from due
      on conflict (ref_id) do update set worker_id = excluded.worker_id, heartbeat_at = excluded.heartbeat_at, tried_at = excluded.tried_at
        where history.worker_id is null or history.heartbeat_at <= ${silent}
      returning ref_id
    )
    select ref.ref_id as "refId", ${workerId} as "workerId", ref.tenant_id as "tenantId", ref.repo_id as "repoId", ref.name as ref,
      repository.clone_url as "cloneUrl", repository.include, repository.exclude, ref.indexed_commit as commit,
      history.commit as base
    from claimed
    join codeindex.refs as ref on ref.ref_id = claimed.ref_id
    join codeindex.repositories as repository on repository.id = ref.repo_id
    left join codeindex.histories as history on history.ref_id = ref.ref_id
  `.execute(database.query);
  return rows[0];
}

/** Says that the worker lives; false when the history is no longer its own, or its branch is gone. */
export async function keepHistory(database: CodeIndexDatabase, { refId, workerId, now }: ClaimedHistory & Moment): Promise<boolean> {
  const { numUpdatedRows } = await database.query
    .updateTable("codeindex.histories")
    .set({ heartbeat_at: now })
    .where("ref_id", "=", refId)
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function finishHistory(
  database: CodeIndexDatabase,
  { refId, workerId, commit, depth }: ClaimedHistory & { readonly depth: number },
): Promise<void> {
  await database.query
    .updateTable("codeindex.histories")
    .set({ commit, depth, worker_id: null, heartbeat_at: null, failures: 0, not_before: null })
    .where("ref_id", "=", refId)
    .where("worker_id", "=", workerId)
    .execute();
}

/** Notes that it failed; it is tried again after a while that grows up to an hour. */
export async function failHistory(database: CodeIndexDatabase, { refId, workerId, now }: ClaimedHistory & Moment): Promise<void> {
  await sql`
    update codeindex.histories set worker_id = null, heartbeat_at = null, failures = failures + 1,
      not_before = ${now}::timestamptz + least(${FIRST_RETRY_MS} * 2 ^ least(failures, 10), ${LAST_RETRY_MS}) * interval '1 millisecond'
    where ref_id = ${refId} and worker_id = ${workerId}
  `.execute(database.query);
}

export async function releaseHistory(database: CodeIndexDatabase, { refId, workerId }: ClaimedHistory): Promise<void> {
  await database.query
    .updateTable("codeindex.histories")
    .set({ worker_id: null, heartbeat_at: null })
    .where("ref_id", "=", refId)
    .where("worker_id", "=", workerId)
    .execute();
}
