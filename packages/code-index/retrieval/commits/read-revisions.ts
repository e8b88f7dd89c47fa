import { AppError, refusal } from "@sightline/foundation/errors";
import { z } from "zod";
import {
  blameAnswerSchema,
  commitAnswerSchema,
  compareAnswerSchema,
  fileSchema,
  lineHistoryAnswerSchema,
  type BlameAnswer,
  type CommitAnswer,
  type CommitRequest,
  type CompareAnswer,
  type CompareRequest,
  type FileRequest,
  type LineHistoryAnswer,
  type LineHistoryRequest,
  type SourceFile,
} from "#contract.ts";
import { fromRoot, suggestFiles, whyMissing } from "#retrieval/files/read-file.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { createPaging } from "#retrieval/scope/page-cursor.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askGit } from "./ask-git.ts";

/**
 * What git knows of any revision. All of these throw what `askGit` does, `commit_not_found` (404), `invalid_revision` and
 * `commit_ambiguous` (400); those about a file `file_not_found` (404), `file_not_kept` (409) and `invalid_range` (400) too.
 */

const READ_MS = 5_000;

/** The branch's indexed commit. */
const HEAD = "HEAD";

/** A commit, with what it changed against its first parent. */
export async function readCommit(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit: revision, path }: CommitRequest & { readonly commit: string },
): Promise<CommitAnswer> {
  refuseNul([revision, path], NUL);
  return askGit(database, scope, { question: { kind: "commit", revision, path: folderOrFile(path) }, answer: commitAnswerSchema });
}

/** The differences between two commits. */
export async function compareCommits(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { base, head: revision, path }: Omit<CompareRequest, "ref">,
): Promise<CompareAnswer> {
  refuseNul([base, revision, path], NUL);
  return askGit(database, scope, { question: { kind: "compare", base, revision, path: folderOrFile(path) }, answer: compareAnswerSchema });
}

/** The lines asked for of a file as it was at a commit. */
export async function readFileAtCommit(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit, ...asked }: Omit<FileRequest, "ref" | "commit"> & { readonly commit: string },
): Promise<SourceFile> {
  const question = { kind: "file", revision: commit, ...ofFile(asked) } as const;
  return suggesting(database, scope, question.path, () => askGit(database, scope, { question, answer: fileSchema }));
}

/** The last change of each line of a file, as `git blame` has it. */
export async function blame(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit = HEAD, ...asked }: Omit<FileRequest, "ref">,
): Promise<BlameAnswer> {
  const question = { kind: "blame", revision: commit, ...ofFile(asked) } as const;
  return suggesting(database, scope, question.path, () => askGit(database, scope, { question, answer: blameAnswerSchema }));
}

const linesFoundSchema = lineHistoryAnswerSchema.omit({ next_cursor: true, ms: true }).extend({ hasMore: z.boolean() });

/** The commits that changed some lines of a file, the newest first, with what they changed there: as `git log -L` has it. */
export async function readLineHistory(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { commit = HEAD, limit, cursor, ...asked }: Omit<LineHistoryRequest, "ref">,
): Promise<LineHistoryAnswer> {
  const began = performance.now();
  const { path, start, end } = ofFile(asked);
  const paging = createPaging(["lines", scope.tenant.tenantId, scope.repo.toLowerCase(), scope.ref, commit, path, start, end]);
  const before = paging.shownBefore(cursor);
  const question = { kind: "lines", revision: commit, path, start, end, before, limit } as const;
  const { hasMore, ...found } = await suggesting(database, scope, path, () =>
    askGit(database, scope, { question, answer: linesFoundSchema }),
  );
  return {
    ...found,
    next_cursor: hasMore ? paging.cursorAfter(before + limit) : null,
    ms: Math.round((performance.now() - began) * 10) / 10,
  };
}

const NUL = "A NUL character is in no name and no path.";

function folderOrFile(path: string | undefined): string | undefined {
  return path === undefined ? undefined : fromRoot(path).replace(/\/+$/u, "") || undefined;
}

/** @throws {AppError} `invalid_range` (400) */
function ofFile({ path: given, start, end }: Pick<FileRequest, "path" | "start" | "end">) {
  refuseNul([given], NUL);
  if (end !== undefined && end < (start ?? 1)) {
    throw refusal(400, "invalid_range", `The range ends (${end}) before it starts (${start ?? 1}).`);
  }
  return { path: fromRoot(given), start, end };
}

/** Where a commit has no such file, the index may have one that was meant. */
async function suggesting<Answer>(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  path: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "file_not_found") {
      throw error;
    }
    const missing = await readScope({ database, scope, milliseconds: READ_MS }, (transaction) => whyMissing(transaction, scope, path));
    throw missing.similar.length === 0 ? error : refusal(404, error.code, `${error.message.replace(/\.$/u, "")}; ${suggestFiles(missing)}`);
  }
}
