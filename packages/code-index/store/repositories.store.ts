import { AppError } from "@sightline/foundation/errors";
import type { Selectable } from "kysely";
import { v7 as newId } from "uuid";
import type { RepositoriesTable } from "#schema.ts";
import type { CodeIndexDatabase } from "./tenant.ts";

/** A registered repository, as its row. */
export type RepositoryRow = Selectable<RepositoriesTable>;

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
  return row;
}

type Listing = {
  readonly tenantId: string;
  /** Repositories up to and with this name are left out. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A tenant's repositories by name. */
export async function listRepositories(
  database: CodeIndexDatabase,
  { tenantId, after, limit }: Listing,
): Promise<readonly RepositoryRow[]> {
  return database.query
    .selectFrom("codeindex.repositories")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .$if(after !== undefined, (query) => query.where("full_name", ">", after ?? ""))
    .orderBy("full_name")
    .limit(limit)
    .execute();
}

export async function getRepository(
  database: CodeIndexDatabase,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<RepositoryRow | undefined> {
  return database.query
    .selectFrom("codeindex.repositories")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
}
