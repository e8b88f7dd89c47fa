import { sql, type Transaction } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables } from "#schema.ts";
import { beginBuild, type Build } from "#store/index/builds.store.ts";
import { readWaiting } from "#indexing/embedding/embedding-progress.store.ts";
import { lockRepositories, settleIndexStatus } from "#store/records/index-status.store.ts";
import type { Lease } from "#store/records/leases.store.ts";
import { lockTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { changeVisible, chunksOfFiles, type SegmentChunks } from "./visible.store.ts";

/** What the branch's row says from now on. */
export type Indexed = {
  readonly lease: Lease;
  readonly commit: string;
  readonly isDefault: boolean;
  /** How many of the branch's pushes the commit holds. */
  readonly pushes: number;
  /** Entries of the commit's tree. */
  readonly entries: number;
  readonly now: Date;
};

/**
 * Lets searches see a whole build and ends its job, in one transaction, after counting the rows.
 *
 * @returns false when the job is no longer the worker's, or the repository is being deleted; nothing has changed then.
 * @throws {Error} when rows are missing; nothing has changed then either.
 */
export async function switchBuild(database: CodeIndexDatabase, build: Build, indexed: Indexed): Promise<boolean> {
  return database.query.transaction().execute(async (transaction) => {
    await lockTenant(transaction, build, "with-others");
    if (!(await endJob(transaction, build, indexed))) {
      return false;
    }
    const [counted, visible] = [await countFiles(transaction, build), await countVisible(transaction, build)];
    if (counted.rows !== indexed.entries || counted.incomplete > 0 || counted.chunks !== visible) {
      throw incomplete({ ...counted, entries: indexed.entries, visible });
    }
    const { files, chunks } = counted;
    await saveRef(transaction, build, { ...indexed, generation: build.generation, files, chunks });
    return true;
  });
}

type Applying = Indexed & {
  /** The generation that searches see. */
  readonly live: number;
  readonly removed: readonly string[];
};

/**
 * Takes a build of the paths that changed over into the generation that searches see, and ends its job, in one
 * transaction. What it replaces becomes a build of its own, which the next sweep deletes.
 *
 * @returns as `switchBuild`. @throws as `switchBuild`.
 */
export async function applyBuild(database: CodeIndexDatabase, build: Build, applying: Applying): Promise<boolean> {
  const { schema, generation: staged } = build;
  const { live, removed, lease, now } = applying;
  return database.query.transaction().execute(async (transaction) => {
    await lockTenant(transaction, build, "with-others");
    if (!(await endJob(transaction, build, applying))) {
      return false;
    }
    const table = sql.id(schema, "files");
    const replaced = await beginBuild(transaction, { ...build, lease, now });
    await sql`
      update ${table} set generation = ${replaced.generation}
      where generation = ${live} and (path = any(${removed}::text[]) or path in (select path from ${table} where generation = ${staged}))
    `.execute(transaction);
    const added = await chunksOfFiles(transaction, build);
    const gone = await chunksOfFiles(transaction, replaced);
    const [more, less] = [await countFiles(transaction, build), await countFiles(transaction, replaced)];
    if (more.incomplete > 0 || more.chunks !== count(added) || less.chunks !== count(gone)) {
      throw incomplete({ ...more, added: count(added), gone: count(gone) });
    }
    await sql`update ${table} set generation = ${live} where generation = ${staged}`.execute(transaction);
    await sql`delete from ${sql.id(schema, "builds")} where generation = ${staged}`.execute(transaction);
    await changeVisible(transaction, { schema, generation: live }, { removed: gone, added });
    const before = await countsOfLive(transaction, live, build);
    const [files, chunks] = [before.files + more.files - less.files, before.chunks + more.chunks - less.chunks];
    const visible = await countVisible(transaction, { ...build, generation: live });
    if (visible !== chunks) {
      throw incomplete({ chunks, visible });
    }
    await saveRef(transaction, build, { ...applying, generation: live, files, chunks });
    return true;
  });
}

type Confirming = Indexed & Omit<Build, "generation"> & { readonly live: number };

/** Ends a job that found nothing to change. */
export async function confirmBuild(database: CodeIndexDatabase, confirming: Confirming): Promise<boolean> {
  const { live } = confirming;
  return database.query.transaction().execute(async (transaction) => {
    if (!(await endJob(transaction, confirming, confirming))) {
      return false;
    }
    const counts = await countsOfLive(transaction, live, confirming);
    await saveRef(transaction, confirming, { ...confirming, ...counts, generation: live });
    return true;
  });
}

/** What the branch's row says of the build that searches see. */
async function countsOfLive(transaction: Transaction<CodeIndexTables>, live: number, { repoId, ref }: Pick<Build, "repoId" | "ref">) {
  return transaction
    .selectFrom("codeindex.refs")
    .select(["files", "chunks"])
    .where("repo_id", "=", repoId)
    .where("name", "=", ref)
    .where("generation", "=", live)
    .executeTakeFirstOrThrow();
}

async function endJob(
  transaction: Transaction<CodeIndexTables>,
  { repoId }: Pick<Build, "repoId">,
  { lease, commit, entries, now }: Indexed,
): Promise<boolean> {
  const progress = JSON.stringify({ phase: "done", done: entries, total: entries });
  const { rows } = await sql`
    update codeindex.index_jobs as job set status = 'succeeded', completed_at = ${now}, commit = ${commit}, progress = ${progress}
    from codeindex.repositories as repository
    where job.job_id = ${lease.jobId} and job.worker_id = ${lease.workerId} and job.status = 'running'
      and job.repo_id = ${repoId} and repository.id = job.repo_id and repository.deleting_at is null
    returning job.job_id
  `.execute(transaction);
  return rows.length > 0;
}

type Counted = { readonly rows: number; readonly files: number; readonly chunks: number; readonly incomplete: number };

async function countFiles(transaction: Transaction<CodeIndexTables>, { schema, generation }: Build): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select count(*) as rows, count(document.document_id) filter (where document.skip_reason is null) as files,
      coalesce(sum(document.chunks), 0)::bigint as chunks, count(*) filter (where not document.complete) as incomplete
    from ${sql.id(schema, "files")} as file left join ${sql.id(schema, "documents")} as document using (document_id)
    where file.generation = ${generation}
  `.execute(transaction);
  return rows[0] ?? { rows: 0, files: 0, chunks: 0, incomplete: 0 };
}

async function countVisible(transaction: Transaction<CodeIndexTables>, { schema, generation }: Build): Promise<number> {
  const { rows } = await sql<{ chunks: number }>`
    select coalesce(sum(chunks), 0)::bigint as chunks from ${sql.id(schema, "visible")} where generation = ${generation}
  `.execute(transaction);
  return rows[0]?.chunks ?? 0;
}

function count(segments: readonly SegmentChunks[]): number {
  return segments.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
}

function incomplete(found: Readonly<Record<string, number>>): Error {
  return new Error(`The build is incomplete: ${JSON.stringify(found)}.`);
}

type Saving = Indexed & { readonly generation: number; readonly files: number; readonly chunks: number };

async function saveRef(
  transaction: Transaction<CodeIndexTables>,
  { tenantId, schema, repoId, ref }: Omit<Build, "generation">,
  { commit, isDefault, generation, files, chunks, pushes, now }: Saving,
): Promise<void> {
  const waiting = await readWaiting(transaction, { schema, generation });
  await lockRepositories(transaction, [repoId]);
  if (isDefault) {
    await replaceDefault(transaction, { repoId, ref });
  }
  await sql`
    insert into codeindex.refs as ref (ref_id, repo_id, tenant_id, name, is_default, generation, indexed_commit, indexed_at, files, chunks,
      pushes_received, pushes_indexed, vectors_pending, vectors_error)
    values (${newId()}, ${repoId}, ${tenantId}, ${ref}, ${isDefault}, ${generation}, ${commit}, ${now}, ${files}, ${chunks}, ${pushes}, ${pushes},
      ${waiting.pending}, ${waiting.error})
    on conflict (repo_id, name) do update set
      is_default = ref.is_default or excluded.is_default, generation = excluded.generation,
      indexed_commit = excluded.indexed_commit, indexed_at = excluded.indexed_at, files = excluded.files, chunks = excluded.chunks,
      vectors_pending = excluded.vectors_pending, vectors_error = excluded.vectors_error,
      pushes_indexed = greatest(ref.pushes_indexed, least(excluded.pushes_indexed, ref.pushes_received))
  `.execute(transaction);
  await settleIndexStatus(transaction, [{ repo_id: repoId }]);
}

/** What the source calls a default that is no branch. */
const DETACHED = "HEAD";

/** The branch that was the default one before stays only if it was asked for by name. */
async function replaceDefault(
  transaction: Transaction<CodeIndexTables>,
  { repoId, ref }: { readonly repoId: string; readonly ref: string },
): Promise<void> {
  await transaction
    .updateTable("codeindex.repositories")
    .set({ default_branch: ref === DETACHED ? null : ref })
    .where("id", "=", repoId)
    .execute();
  await sql`
    delete from codeindex.refs using codeindex.repositories as repository
    where repo_id = ${repoId} and is_default and name <> ${ref} and repository.id = repo_id and name <> all(repository.branches)
  `.execute(transaction);
  await transaction
    .updateTable("codeindex.refs")
    .set({ is_default: false })
    .where("repo_id", "=", repoId)
    .where("is_default", "=", true)
    .where("name", "<>", ref)
    .execute();
}
