import type { DeveloperToken, Job, Repository } from "#contract.ts";
import type { DeveloperTokenRow } from "#store/developer-tokens.store.ts";
import type { JobRow } from "#store/jobs.store.ts";
import type { RepositoryRow } from "#store/repositories.store.ts";

export function presentRepository(row: RepositoryRow): Repository {
  return {
    id: row.id,
    full_name: row.full_name,
    clone_url: row.clone_url,
    default_branch: row.default_branch,
    index_status: row.index_status,
    indexed_commit: row.indexed_commit,
    indexed_at: row.indexed_at?.toISOString() ?? null,
    behind: row.behind,
    files: row.files,
    chunks: row.chunks,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
  };
}

export function presentJob(row: JobRow): Job {
  return {
    job_id: row.job_id,
    repo_id: row.repo_id,
    full_name: row.full_name,
    status: row.status,
    mode: row.mode,
    trigger: row.trigger,
    commit: row.commit,
    attempt: row.attempt,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    error_message: row.error_message,
    progress: row.progress,
  };
}

export function presentToken(row: DeveloperTokenRow): DeveloperToken {
  return {
    id: row.id,
    token_prefix: row.token_prefix,
    label: row.label,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
