import { z } from "zod";
import { commitSchema, type CommitsAnswer, type CommitsRequest } from "#contract.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { invalidQuery } from "#retrieval/query/refusals.ts";
import { createPaging, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askGit } from "./ask-git.ts";
import { findHistory } from "./read-commits.store.ts";
import { depthOf, endOf } from "./commit-limits.ts";

const READ_MS = 5_000;

const foundSchema = z.object({ commits: z.array(commitSchema), hasMore: z.boolean(), notes: z.array(z.string()) });

type ChangesRequest = CommitsRequest & { readonly changed: string };

/**
 * Commits that add or remove a text, the newest first, each with the files in which it did: as `git log -S` has it.
 *
 * @throws {AppError} `invalid_query`, `invalid_cursor` (400), and as `askGit`.
 */
export async function searchChanges(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { changed: text, query, path, author, since, until, limit, cursor }: ChangesRequest,
): Promise<FoundPage<CommitsAnswer>> {
  const began = performance.now();
  if (query !== undefined && query.trim() !== "") {
    throw invalidQuery("query is about messages and changed about what was changed: ask for one of them.");
  }
  if (path?.includes("*") === true) {
    throw invalidQuery("With changed, path is a whole file or folder, without *.");
  }
  const { build, history } = await readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [found]) => ({
    build: found,
    history: await findHistory(transaction, scope),
  }));
  const filter = { text, path: path?.replace(/^(?:\.?\/)+|\/+$/gu, "") || undefined, author: author?.trim() || undefined, since, until };
  const paging = createPaging(["changes", scope.tenant.tenantId, scope.repo.toLowerCase(), build?.commit, filter]);
  const before = paging.shownBefore(cursor);
  const moments = { since: since && new Date(since).toISOString(), until: until && endOf(until).toISOString() };
  const question = { kind: "pickaxe", revision: "HEAD", ...filter, ...moments, before, limit } as const;
  const { commits, hasMore, notes } = await askGit(database, scope, { question, answer: foundSchema });
  const cursorAfter = (shown: number) => paging.cursorAfter(before + shown);
  return {
    repo: build?.repo ?? scope.repo,
    ref: build?.ref ?? "",
    commit: build?.commit ?? "",
    commits,
    depth: depthOf(history),
    path: filter.path === undefined ? null : { is: "part", names: [filter.path] },
    notes: [...(commits.length === 0 && before === 0 ? ["No commit adds or removes this text, letter for letter."] : []), ...notes],
    next_cursor: hasMore ? cursorAfter(commits.length) : null,
    ms: Math.round((performance.now() - began) * 10) / 10,
    cursorAfter,
  };
}
