import type { Outline } from "#contract.ts";
import { readAs } from "#store/tenancy/read-as.store.ts";
import { findFile, readOutline as readOutlineRows, type RepositoryScope } from "./read-files.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { isText, refuseMissingFile, whyMissing } from "./read-file.ts";
import { refuseHiddenRepository } from "#retrieval/scope/repository-errors.ts";

const READ_MS = 10_000;

/**
 * What a file defines at the indexed commit of its branch, from top to bottom; nothing in a language whose definitions aren't known.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409), `file_not_found` (404).
 */
export async function readOutline(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<Outline> {
  if (!isText(scope.repo)) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  const found = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const file = isText(path) ? await findFile(transaction, scope, path) : undefined;
    return file === undefined
      ? { missing: await whyMissing(transaction, scope, path) }
      : { file, symbols: await readOutlineRows(transaction, scope, path) };
  });
  if (found.missing !== undefined) {
    return refuseMissingFile(database, scope, { path, ...found.missing });
  }
  const { file, symbols } = found;
  return { repo: scope.repo, ref: file.ref, commit: file.commit, path, language: file.language ?? "text", symbols: [...symbols] };
}
