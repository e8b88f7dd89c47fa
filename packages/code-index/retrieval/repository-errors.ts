import { AppError } from "@sightline/foundation/errors";
import { repositoriesInScope, type VisibleRepository } from "#store/read-scope.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenant.ts";

const NAMED = 20;

type Hidden = {
  readonly tenant: Tenant;
  readonly repo: string;
  /** The repository of that name, if it is only not indexed. */
  readonly found: VisibleRepository | undefined;
};

/**
 * Says why a repository can't be searched or read, so that whoever asked can do something about it.
 *
 * @throws {AppError} `repository_not_found` (404) or `repository_not_indexed` (409), always.
 */
export async function refuseHiddenRepository(database: CodeIndexDatabase, { tenant, repo, found }: Hidden): Promise<never> {
  if (found !== undefined) {
    const reason = found.last_error === null ? "" : ` Its last job failed: ${found.last_error}`;
    throw new AppError({
      code: "repository_not_indexed",
      status: 409,
      message: `The repository ${repo} is registered but not searchable yet; its index is ${found.index_status}.${reason}`,
    });
  }
  const all = await repositoriesInScope(database, { tenant });
  const known = all.filter((repository) => repository.generation !== null).map((repository) => repository.full_name);
  const names = known.length > NAMED ? `${known.slice(0, NAMED).join(", ")} and ${known.length - NAMED} more` : known.join(", ");
  throw new AppError({
    code: "repository_not_found",
    status: 404,
    message: `The repository ${repo.slice(0, 200)} is not indexed here; known: ${names === "" ? "none yet" : names}.`,
  });
}
