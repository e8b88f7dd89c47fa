import { repositoriesInScope, type RepositoryInScope, type Scope } from "#store/tenancy/read-scope.store.ts";
import { storedEmbedders, type StoredEmbedder } from "#store/index/vectors.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { readVisible, type VisibleChunks } from "./visible-chunks.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";

/** What there is to search, at one moment. */
export type Searched = {
  readonly repositories: readonly RepositoryInScope[];
  /** The segments that their builds see. */
  readonly segments: readonly VisibleChunks[];
  /** The embedder whose vectors are searched; undefined before there are any. */
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

type Searchable = Searched & {
  /** In scope, searchable or not; `repositories` are the searchable ones. */
  readonly all: readonly RepositoryInScope[];
};

/**
 * Reads what there is to search.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed`, `ref_not_indexed` (409) when what was asked for by name is not there.
 */
export async function readSearchable(database: CodeIndexDatabase, scope: Scope): Promise<Searchable> {
  if (scope.repo?.includes("\0") === true) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  const { repositories: all, segments, vectors } = await readSearched(database, scope, READ_MS);
  const repositories = all.filter((repository) => repository.generation !== null);
  const asks = scope.repo !== undefined || scope.ref !== undefined;
  const filters = [...(scope.filters?.repo.anyOf ?? []), ...(scope.filters?.ref.anyOf ?? [])];
  if (repositories.length === 0 && (asks || filters.length > 0)) {
    await refuseHiddenRepository(database, scope, all[0]);
  }
  return { all, repositories, segments, vectors };
}
