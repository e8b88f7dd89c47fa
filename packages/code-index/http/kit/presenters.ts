import type { Job, Ref, Repository } from "#contract.ts";
import type { JobRow } from "#store/records/jobs.store.ts";
import type { RefRow, RepositoryRow } from "#store/records/read-repositories.store.ts";

export function presentRepository(row: RepositoryRow): Repository {
  const main = row.refs.find((ref) => ref.is_default);
  return {
    id: row.id,
    full_name: row.full_name,
    clone_url: row.clone_url,
    default_branch: row.default_branch,
    index_status: row.index_status,
    indexed_commit: main?.indexed_commit ?? null,
    indexed_at: timeOf(main?.indexed_at ?? null),
    behind: main?.behind ?? 0,
    files: main?.files ?? 0,
    chunks: main?.chunks ?? 0,
    refs: row.refs.map(presentRef),
    legs: legsOf(main),
    branches: [...row.branches],
    include: [...row.include],
    exclude: [...row.exclude],
    credential_id: row.credential_id,
    has_webhook_secret: row.sealed_webhook_secret !== null,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
  };
}

export function presentRef({ name, is_default, indexed_commit, indexed_at, files, chunks, behind }: RefRow): Ref {
  return { name, is_default, indexed_commit, indexed_at: timeOf(indexed_at), files, chunks, behind };
}

/** BM25 and exact find a build from the moment it is switched to; vectors may come later. */
function legsOf(main: RefRow | undefined): Repository["legs"] {
  if (main === undefined || main.generation === null) {
    const pending = { state: "pending", reason: "not indexed yet" } as const;
    return { semantic: pending, bm25: pending, exact: pending };
  }
  const { vectors_pending: pending, vectors_error: error } = main;
  const ready = { state: "ready" } as const;
  if (pending === 0) {
    return { semantic: ready, bm25: ready, exact: ready };
  }
  const waiting = `${pending} of ${main.chunks} chunks have no vector yet`;
  return { semantic: { state: "pending", reason: error === null ? waiting : `${waiting}: ${error}` }, bm25: ready, exact: ready };
}

function timeOf(json: string | null): string | null {
  return json === null ? null : new Date(json).toISOString();
}

export function presentJob(row: JobRow): Job {
  return {
    job_id: row.job_id,
    repo_id: row.repo_id,
    full_name: row.full_name,
    status: row.status,
    mode: row.mode,
    trigger: row.trigger,
    ref: row.ref,
    commit: row.commit,
    attempt: row.attempt,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    error_message: row.error_message,
    progress: { rate: null, ...row.progress },
  };
}
