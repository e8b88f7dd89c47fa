import { sql } from "kysely";
import type { PreviewsTable } from "#schema.ts";
import { before, LEASE_MS } from "./failed-jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A preview is made anew when it is older, or when it is asked for after a push or a change of the settings. */
const FRESH_MS = 600_000;
/** One that waits for longer is not made any more: one that ends its worker again and again is not to be made for ever. */
export const WAITS_MS = FRESH_MS;
/** One that failed is tried again sooner: what was wrong may have been fixed. */
const FAILED_MS = 3_000;

type Of = { readonly tenantId: string; readonly repoId: string };

export type PreviewRow = Pick<PreviewsTable, "status" | "completed_at" | "error_message"> & { readonly preview: unknown };

/** What the settings are of which a preview depends; a change makes it stale. */
const settings = sql`md5(row(repository.clone_url, repository.include, repository.exclude, repository.credential_id)::text)`;
const head = sql`(select head_commit from codeindex.refs where repo_id = repository.id and is_default)`;

/** Asks for a preview unless there is a fresh one or one is being made, and returns what there is. */
export async function askForPreview(
  database: CodeIndexDatabase,
  { tenantId, repoId, now }: Of & { readonly now: Date },
): Promise<PreviewRow | undefined> {
  await sql`
    insert into codeindex.previews as preview (repo_id, tenant_id, status, requested_at)
    select repository.id, repository.tenant_id, 'queued', ${now}
    from codeindex.repositories as repository
    where repository.id = ${repoId} and repository.tenant_id = ${tenantId} and repository.deleting_at is null and not exists (
      select from codeindex.previews as known
      where known.repo_id = repository.id and (
        known.status = 'queued' and known.requested_at > ${before(now, FRESH_MS)}
        or known.status = 'running' and known.heartbeat_at > ${before(now, LEASE_MS)}
        or known.status = 'failed' and known.completed_at > ${before(now, FAILED_MS)} and known.result->>'settings' = ${settings}
        or known.status = 'ready' and known.completed_at > ${before(now, FRESH_MS)} and known.result->>'settings' = ${settings}
          and (known.result->>'head' is not distinct from ${head} or known.commit = ${head})
      )
    )
    on conflict (repo_id) do update set status = 'queued', requested_at = excluded.requested_at, worker_id = null,
      heartbeat_at = null, completed_at = null, commit = null, result = null, error_message = null
  `.execute(database.query);
  return database.query
    .selectFrom("codeindex.previews")
    .select(["status", "completed_at", "error_message", sql`result->'preview'`.as("preview")])
    .where("repo_id", "=", repoId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/** What a worker knows of the preview it makes; its id is the fence. */
export type ClaimedPreview = Of & {
  readonly workerId: string;
  readonly cloneUrl: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** What the answer depends on, to be kept with it. */
  readonly settings: string;
  readonly head: string | null;
};

type Claiming = { readonly workerId: string; readonly now: Date };

/** Takes the preview that waits longest, or one whose worker is silent; `undefined` when there is none. */
export async function claimPreview(database: CodeIndexDatabase, { workerId, now }: Claiming): Promise<ClaimedPreview | undefined> {
  const { rows } = await sql<ClaimedPreview>`
    update codeindex.previews as preview set status = 'running', worker_id = ${workerId}, heartbeat_at = ${now}
    from codeindex.repositories as repository
    where repository.id = preview.repo_id and preview.repo_id = (
      select due.repo_id
      from codeindex.previews as due
      join codeindex.repositories as owner on owner.id = due.repo_id
      join codeindex.tenants as tenant on tenant.tenant_id = due.tenant_id
      where owner.deleting_at is null and tenant.deleting_at is null
        and due.requested_at > ${before(now, WAITS_MS)}
        and (due.status = 'queued' or due.status = 'running' and due.heartbeat_at <= ${before(now, LEASE_MS)})
      order by due.requested_at
      limit 1
      for update of due skip locked
    )
    returning preview.repo_id as "repoId", preview.tenant_id as "tenantId", preview.worker_id as "workerId",
      repository.clone_url as "cloneUrl", repository.include, repository.exclude, ${settings} as settings, ${head} as head
  `.execute(database.query);
  return rows[0];
}

type Moment = { readonly now: Date };

/** Says that the worker lives; false when the preview is no longer its own. */
export async function keepPreview(database: CodeIndexDatabase, { repoId, workerId, now }: ClaimedPreview & Moment): Promise<boolean> {
  const { numUpdatedRows } = await database.query
    .updateTable("codeindex.previews")
    .set({ heartbeat_at: now })
    .where("repo_id", "=", repoId)
    .where("worker_id", "=", workerId)
    .where("status", "=", "running")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Outcome = { readonly commit: string; readonly preview: object } | { readonly error: string };

export async function finishPreview(
  database: CodeIndexDatabase,
  { repoId, workerId, settings: of, head: at, now }: ClaimedPreview & Moment,
  outcome: Outcome,
): Promise<void> {
  const made = "error" in outcome ? { commit: null, preview: null } : outcome;
  await database.query
    .updateTable("codeindex.previews")
    .set({
      status: "error" in outcome ? "failed" : "ready",
      error_message: "error" in outcome ? outcome.error : null,
      completed_at: now,
      commit: made.commit,
      result: JSON.stringify({ settings: of, head: at, preview: made.preview }),
    })
    .where("repo_id", "=", repoId)
    .where("worker_id", "=", workerId)
    .where("status", "=", "running")
    .execute();
}

/** Gives a preview back that its worker can't finish. */
export async function releasePreview(database: CodeIndexDatabase, { repoId, workerId }: ClaimedPreview): Promise<void> {
  await database.query
    .updateTable("codeindex.previews")
    .set({ status: "queued", worker_id: null, heartbeat_at: null })
    .where("repo_id", "=", repoId)
    .where("worker_id", "=", workerId)
    .where("status", "=", "running")
    .execute();
}
