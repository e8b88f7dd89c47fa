import { AppError } from "@sightline/foundation/errors";
import { z } from "zod";
import { getRepository, type RepositoryRow } from "#store/read-repositories.store.ts";
import type { Access } from "#store/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";

/** @throws {AppError} `repository_not_found` (404), also for what can't be an identifier at all. */
export async function findRepository(database: CodeIndexDatabase, access: Access, repoId: string): Promise<RepositoryRow> {
  const id = z.uuid().safeParse(repoId);
  const row = id.success ? await getRepository(database, { ...access, id: id.data }) : undefined;
  if (row === undefined) {
    throw repositoryNotFound();
  }
  return row;
}

/** The same for one of another tenant, one that is being deleted, and none at all. */
export function repositoryNotFound(): AppError {
  return new AppError({
    code: "repository_not_found",
    status: 404,
    message: "There is no repository with this id; GET /api/v1/repos lists them, and POST /api/v1/repos registers one.",
  });
}

export const repositoryParamsSchema = z.object({ repo_id: z.string() });
