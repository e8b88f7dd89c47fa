import { readAs } from "#store/tenancy/read-as.store.ts";
import { repositoriesInScope, type RepositoryInScope, type Scope } from "#store/tenancy/read-scope.store.ts";
import { storedEmbedders, type StoredEmbedder } from "#store/index/read-vectors.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { readVisible, type VisibleChunks } from "./visible-chunks.ts";

/** What there is to search, at one moment. */
export type Searched = {
  readonly repositories: readonly RepositoryInScope[];
  /** What of them is seen. */
  readonly segments: readonly VisibleChunks[];
  /** Whose vectors are searched; undefined before there are any. */
  readonly vectors: StoredEmbedder | undefined;
};

/** Milliseconds that a read beside the legs may take. */
export const READ_MS = 3_000;

export async function readSearched(database: CodeIndexDatabase, scope: Scope, milliseconds: number): Promise<Searched> {
  return readAs(database, scope.tenant, milliseconds, async (transaction) => {
    const [vectors] = await storedEmbedders(transaction, scope.tenant);
    return {
      repositories: await repositoriesInScope(transaction, scope),
      segments: await readVisible(transaction, scope),
      vectors,
    };
  });
}
