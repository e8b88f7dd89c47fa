import { refusal } from "@sightline/foundation/errors";
import { z } from "zod";
import { found, parseId } from "./found.ts";
import { getAccess, type IncomingRequest } from "./request-tenant.ts";
import { getRepository, type RepositoryRow } from "#store/records/read-repositories.store.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** @throws {AppError} `repository_not_found` (404) */
export async function findRepository(database: CodeIndexDatabase, access: Access, repoId: string): Promise<RepositoryRow> {
  return found("repository", await getRepository(database, { ...access, id: parseId("repository", repoId) }));
}

/** A branch of a repository, for who asks. @throws {AppError} `repository_not_found` (404) */
export async function scopeOfRepository(
  database: CodeIndexDatabase,
  request: IncomingRequest,
  { repoId, ref }: { readonly repoId: string; readonly ref: string | undefined },
): Promise<Access & { readonly repo: string; readonly ref: string | undefined }> {
  const access = getAccess(request);
  const { full_name: repo } = await findRepository(database, access, repoId);
  return { ...access, repo, ref };
}

/** A branch that may be indexed; the default one when left out. @throws {AppError} `unknown_ref` (400) for one that nobody asked to be indexed. */
export function requireIndexedRef({ default_branch: main, branches }: RepositoryRow, ref: string | undefined): string | undefined {
  const known = main === null ? branches : [main, ...branches];
  if (ref !== undefined && !known.includes(ref)) {
    const those = known.length === 0 ? "only the default branch" : known.join(", ");
    throw refusal(
      400,
      "unknown_ref",
      `The branch ${ref} is not indexed; indexed: ${those}. Add it with PATCH /api/v1/repos/{repo_id} and "branches".`,
    );
  }
  return ref;
}

export const repositoryParamsSchema = z.object({ repo_id: z.string() });
