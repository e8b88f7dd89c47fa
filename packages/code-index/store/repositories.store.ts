import { AppError } from "@sightline/foundation/errors";
import { v7 as newId } from "uuid";
import type { RepositoryRow } from "./read-repositories.store.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

type Registering = { readonly tenantId: string; readonly fullName: string; readonly cloneUrl: string };

/**
 * Registers a repository; it is `pending` until a job has indexed it.
 *
 * @throws {AppError} `repository_exists` (409) when the tenant has one of that name.
 */
export async function registerRepository(
  database: CodeIndexDatabase,
  { tenantId, fullName, cloneUrl }: Registering,
): Promise<RepositoryRow> {
  const row = await database.query
    .insertInto("codeindex.repositories")
    .values({ id: newId(), tenant_id: tenantId, full_name: fullName, clone_url: cloneUrl })
    .onConflict((conflict) => conflict.columns(["tenant_id", "full_name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new AppError({ code: "repository_exists", status: 409, message: `${fullName} is registered already.` });
  }
  return { ...row, refs: [] };
}
