import type { RepositoryInScope, Scope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { READ_MS, readSearched, type Searched } from "./read-searched.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";

export type LookedAround = Searched & {
  /** In scope, searchable or not; `repositories` are the searchable ones. */
  readonly all: readonly RepositoryInScope[];
};

/**
 * What there is to search.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed`, `ref_not_indexed` (409) when what was asked for by name is not there.
 */
export async function lookAround(database: CodeIndexDatabase, scope: Scope): Promise<LookedAround> {
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
