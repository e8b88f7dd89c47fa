import type { DeveloperToken } from "@sightline/code-index/contract";
import { plural } from "#ui/words/format.ts";

export type RepositoryChoice = { readonly id: string; readonly full_name: string };

/** The others are counted. */
const NAMED = 3;

/** The names of the repositories that a token opens. */
export function formatScope(
  { repositories: ids }: Pick<DeveloperToken, "repositories">,
  repositories: readonly RepositoryChoice[] | undefined,
): string {
  if (ids === null) {
    return "all repositories";
  }
  const names = ids.map((id) => repositories?.find((repository) => repository.id === id)?.full_name).filter((name) => name !== undefined);
  if (repositories === undefined) {
    return plural(ids.length, "repository", "repositories");
  }
  if (names.length === 0) {
    return "none: what it opened was deleted";
  }
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Everything that a token opens, in words. */
export function openedBy(
  token: Pick<DeveloperToken, "repositories" | "traces" | "evaluation"> & Partial<Pick<DeveloperToken, "uploads">>,
  repositories: readonly RepositoryChoice[] | undefined,
): string {
  return `${formatScope(token, repositories)}${token.traces ? "; traces" : ""}${token.evaluation ? "; issues, experiments and adding to datasets" : ""}${token.uploads === true ? "; SCIP uploads" : ""}`;
}
