import { refusal } from "@sightline/foundation/errors";
import type { CommitAnswer, CommitRequest, FileChange } from "#contract.ts";
import { MAX_CHANGED_FILES } from "#contract.ts";
import { fromRoot } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { textOfPatch } from "./patch.ts";
import { changesAt, findCommits, readPatches, type FoundCommit, type PatchedChange } from "./read-changes.store.ts";
import { findHistory } from "./read-commits.store.ts";
import { presentCommit } from "./search-commits.ts";

const READ_MS = 8_000;

/**
 * A commit by its hash, or the beginning of it, with what it changed against its first parent.
 *
 * @throws {AppError} `commit_not_found` (404), `commit_ambiguous` (400), `invalid_query` (400), and as `readScope`.
 */
export async function readCommit(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit, path }: CommitRequest & { readonly commit: string },
): Promise<CommitAnswer> {
  refuseNul([path], "A NUL character is in no path.");
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const { changes_total: total, ...row } = await requireCommit(transaction, scope, commit);
    const found = await changesAt(transaction, scope, { positions: [row.position], path: folderOrFile(path), limit: MAX_CHANGED_FILES });
    const patchOf = await readPatches(transaction, scope, found);
    return {
      repo: row.repo,
      ref: build?.ref ?? "",
      commit: presentCommit(row, undefined),
      changes: found.flatMap((change) => patchOf(change) ?? []).map(presentChange),
      changes_total: total,
      notes: notesOn(total, found.length, path),
    };
  });
}

export function folderOrFile(path: string | undefined): string | undefined {
  return path === undefined ? undefined : fromRoot(path).replace(/\/+$/u, "") || undefined;
}

/** @throws {AppError} `commit_not_found` (404), `commit_ambiguous` (400). */
export async function requireCommit(query: TenantQuery, scope: RepositoryScope, hash: string): Promise<FoundCommit> {
  const [found, ...others] = await findCommits(query, scope, hash.toLowerCase());
  if (found === undefined) {
    const history = await findHistory(query, scope);
    const known = `${history?.commits ?? 0} commits${history?.complete === true ? "" : ", the newest,"} are kept`;
    throw refusal(
      404,
      "commit_not_found",
      `${scope.repo} has no commit ${hash} on this branch, of which ${known}; search its commits for the right hash.`,
    );
  }
  if (others.length > 0) {
    const all = [found, ...others].map(({ commit, subject }) => `${commit.slice(0, 12)} (${subject.slice(0, 80)})`);
    throw refusal(400, "commit_ambiguous", `Several commits begin with ${hash}: ${all.join(", ")}.`);
  }
  return found;
}

function presentChange({ path, old_path, status, added, deleted, patch, left_out }: PatchedChange): FileChange {
  return { path, old_path, status, added, deleted, patch: textOfPatch(patch), left_out };
}

function notesOn(total: number | null, found: number, path: string | undefined): string[] {
  if (total === null) {
    return ["What this commit changed is not kept: the repository's history is too large to be fetched with its contents."];
  }
  if (path !== undefined && found === 0) {
    return [`This commit did not change ${path.slice(0, 500)}; without path all that it changed is here.`];
  }
  return path === undefined && total > found ? [`${total - found} more files changed; only the first ${found} are kept.`] : [];
}
