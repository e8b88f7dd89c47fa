import { type AppError, refusal } from "@sightline/foundation/errors";
import { listFilesUnder, type FileRow, type RepositoryScope } from "./read-files.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { matchGlob } from "#retrieval/patterns/match-glob.ts";
import { createPaging, nameBuilds, type Paging } from "#retrieval/scope/page-cursor.ts";
import { fromRoot, whyMissing } from "./read-file.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";

/** A file, or a folder with all that is in it. */
export type ListedEntry = {
  /** A folder's ends with a slash. */
  readonly path: string;
  readonly files: number;
  readonly lines: number;
  /** The file's language; null for folders and for files that are not searchable. */
  readonly language: string | null;
  /** Why a file is not searchable. */
  readonly skip_reason: string | null;
};

export type FileListing = {
  readonly repo: string;
  readonly ref: string;
  readonly commit: string;
  /** Files that match, in whatever folder. */
  readonly total: number;
  /** The same files, by how deep folders are opened: everything when `depth` is undefined. */
  readonly entriesAt: (depth: number | undefined) => readonly ListedEntry[];
  readonly paging: Paging;
};

type Listing = { readonly path?: string | undefined; readonly glob?: string | undefined };

const READ_MS = 10_000;
const FILES = 200_000;

/**
 * What is in a folder of a branch's indexed commit.
 *
 * @throws {AppError} `path_not_found` (404), and as `readScope`.
 */
export async function listFolder(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { path: asked = "", glob }: Listing,
): Promise<FileListing> {
  const path = fromRoot(asked).replaceAll(/\/+$|^\.$/gu, "");
  return readScope({ database, scope: { ...scope, path }, milliseconds: READ_MS }, async (transaction, builds) => {
    const [build] = builds;
    const found = await listFilesUnder(transaction, scope, { path, limit: FILES });
    if (found.length === 0 && path !== "") {
      throw pathNotFound(scope.repo, path, (await whyMissing(transaction, scope, path)).similar);
    }
    const matches = glob === undefined || glob === "" ? () => true : matchGlob(glob);
    const files = found.filter((file) => matches(file.path));
    const { repo = scope.repo, ref, commit } = build ?? {};
    return {
      repo,
      ref: ref ?? "",
      commit: commit ?? "",
      total: files.length,
      entriesAt: (depth) => entriesOf(files, path, depth),
      paging: createPaging(["files", scope.tenant.tenantId, repo, path, glob ?? null, nameBuilds(builds)]),
    };
  });
}

function entriesOf(files: readonly FileRow[], under: string, depth: number | undefined): readonly ListedEntry[] {
  const skipped = under === "" ? 0 : under.split("/").length;
  const entries = new Map<string, ListedEntry>();
  for (const file of files) {
    const parts = file.path.split("/");
    const isFolder = depth !== undefined && parts.length > skipped + depth;
    const path = isFolder ? `${parts.slice(0, skipped + depth).join("/")}/` : file.path;
    const before = entries.get(path);
    entries.set(path, {
      path,
      files: (before?.files ?? 0) + 1,
      lines: (before?.lines ?? 0) + file.lines,
      language: isFolder ? null : file.language,
      skip_reason: isFolder ? null : file.skip_reason,
    });
  }
  return [...entries.values()];
}

function pathNotFound(repo: string, path: string, similar: readonly string[]): AppError {
  const hint = similar.length === 0 ? "leave path out for the whole tree" : `did you mean ${similar.join(" or ")}?`;
  return refusal(404, "path_not_found", `${repo} has nothing at ${path.slice(0, 500)}; ${hint}`);
}
