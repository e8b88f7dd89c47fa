import { type AppError, refusal } from "@sightline/foundation/errors";
import { repositoriesInScope, type RepositoryInScope, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";

/** PostgreSQL's code for a statement it gave up. */
const QUERY_CANCELED = "57014";

type Reading = { readonly database: CodeIndexDatabase; readonly scope: Scope; readonly milliseconds: number };

/**
 * Reads what of the scope is indexed, all at one moment.
 *
 * @throws {AppError} `repository_not_found` (404), `repository_not_indexed` or `ref_not_indexed` (409) where the repository or branch
 * that was asked for is not there, `too_slow` (503).
 */
export async function readScope<Result>(
  { database, scope, milliseconds }: Reading,
  read: (transaction: TenantQuery, builds: readonly RepositoryInScope[]) => Promise<Result>,
): Promise<Result> {
  refuseNul([scope.repo, scope.path, scope.lang], "A filter holds a NUL character, which nothing in a repository has.");
  const outcome = await readAs(database, scope.tenant, milliseconds, async (transaction) => {
    const found = await repositoriesInScope(transaction, scope);
    const builds = found.filter(({ generation }) => generation !== null);
    const hidden = builds.length === 0 && (scope.repo !== undefined || scope.ref !== undefined);
    return hidden ? { hidden, found: found[0] } : { hidden, result: await read(transaction, builds) };
  }).catch((error: unknown) => {
    throw isTimeout(error) ? tooSlow(milliseconds, scope) : error;
  });
  return outcome.hidden ? refuseHiddenRepository(database, scope, outcome.found) : outcome.result;
}

/** Whether the database had no time for a statement, or was told to stop. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === QUERY_CANCELED;
}

export function tooSlow(milliseconds: number, scope: Scope): AppError {
  return refusal(503, "too_slow", `There was no answer within ${milliseconds / 1_000} s; ${narrower(scope)}.`);
}

/** Said where there is no better advice. */
export const BUSY = "the server is busy, ask again";

/** What makes an answer quicker and was not done yet. */
export function narrower({ repo, path, lang }: Scope): string {
  const open = [
    ...(repo === undefined ? ["a repository"] : []),
    ...(path === undefined ? ["a path"] : []),
    ...(lang === undefined ? ["a language"] : []),
  ];
  return repo === undefined ? `name ${open.join(" or ")}` : open.length === 0 ? BUSY : `${BUSY}, or name ${open.join(" or ")}`;
}
