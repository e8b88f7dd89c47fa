import type { Tree } from "#contract.ts";
import { readAs } from "#store/tenancy/read-as.store.ts";
import { listFiles, type RepositoryScope } from "./read-files.store.ts";
import { repositoriesInScope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { refuseHiddenRepository } from "#retrieval/scope/repository-errors.ts";

/** Files of a tree in one answer. */
const TREE = 100_000;
const READ_MS = 10_000;

/**
 * Every path of a branch's indexed commit.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409).
 */
export async function readTree(database: CodeIndexDatabase, scope: RepositoryScope): Promise<Tree> {
  const { found, files } = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const [repository] = await repositoriesInScope(transaction, scope);
    return { found: repository, files: await listFiles(transaction, scope, TREE) };
  });
  const { ref = null, commit = null } = found ?? {};
  if (ref === null || commit === null) {
    return refuseHiddenRepository(database, scope, found);
  }
  return {
    repo: scope.repo,
    ref,
    commit,
    files: files.map(({ path, language, lines }) => ({ path, language: language ?? "text", lines })),
  };
}
