import type { FileRequest } from "#contract.ts";
import { fromRoot, refuseRange } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import type { RepositoryInScope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { openHistory, type FileHistory } from "./file-at-commit.ts";
import { requireCommit } from "./read-commit.ts";
import { findHistory } from "./read-commits.store.ts";

type OpenedLines = {
  readonly history: FileHistory;
  readonly position: number;
  readonly commit: string;
  readonly path: string;
  /** Those asked for, counted from 0. */
  readonly lines: readonly number[];
  readonly total: number;
};

/**
 * Finds lines of a file, at a commit or where the history ends.
 *
 * @throws {AppError} as `readFileAtCommit`.
 */
export async function openLines(
  query: TenantQuery,
  scope: RepositoryScope,
  build: RepositoryInScope | undefined,
  { path: given, commit: hash, start = 1, end }: FileRequest,
): Promise<OpenedLines> {
  refuseNul([given], "A NUL character is in no path.");
  const path = fromRoot(given);
  const newest = (await findHistory(query, scope))?.newest ?? "";
  const { position, commit } = await requireCommit(query, scope, hash ?? newest);
  const history = await openHistory(query, scope, build);
  const total = (await history.linesAt(position, path)).length;
  refuseRange({ path, lines: total, start, end });
  const lines = Array.from({ length: Math.min(end ?? total, total) - start + 1 }, (_, index) => start - 1 + index);
  return { history, position, commit, path, lines, total };
}
