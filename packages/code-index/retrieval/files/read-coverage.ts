import type { Coverage } from "#contract.ts";
import { readAs } from "#store/tenancy/read-as.store.ts";
import { countEmbedded, findFile, type FileRow, type RepositoryScope } from "./read-files.store.ts";
import { storedEmbedders } from "#store/index/read-vectors.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { isText, whyMissing } from "./read-file.ts";
import { refuseHiddenRepository } from "#retrieval/scope/repository-errors.ts";

const READ_MS = 10_000;

/**
 * Whether a file is searchable, and if not why.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409).
 */
export async function readCoverage(database: CodeIndexDatabase, scope: RepositoryScope, path: string): Promise<Coverage> {
  const { file, embedded, missing } = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const row = isText(path) ? await findFile(transaction, scope, path) : undefined;
    if (row === undefined) {
      return { file: undefined, embedded: 0, missing: await whyMissing(transaction, scope, path) };
    }
    const [used] = await storedEmbedders(transaction, scope.tenant);
    const count = used === undefined ? 0 : await countEmbedded(transaction, scope, { path, embedderId: used.embedder_id });
    return { file: row, embedded: count, missing: undefined };
  });
  if (file !== undefined) {
    return coverageOf(file, embedded);
  }
  const { ref = null, commit = null } = missing.found ?? {};
  if (ref === null || commit === null) {
    return refuseHiddenRepository(database, scope, missing.found);
  }
  const reason = `the branch ${ref} has no file of this path at its indexed commit`;
  return { path, ref, commit, state: "absent", reason, language: null, bytes: null, chunks: 0, embedded: 0, similar: [...missing.similar] };
}

function coverageOf({ path, ref, commit, language, bytes, chunks, skip_reason: reason }: FileRow, embedded: number): Coverage {
  return { path, ref, commit, state: reason === null ? "indexed" : "skipped", reason, language, bytes, chunks, embedded, similar: [] };
}
