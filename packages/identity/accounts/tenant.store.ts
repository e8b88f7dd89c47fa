import { v7 as uuidv7 } from "uuid";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";

export type Tenant = { readonly id: string; readonly name: string };

/** The tenant of the first account and of everyone who registers. */
export const DEFAULT_TENANT = "default";

const NAME = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * Returns the tenant of this name, and makes it when there is none. Its code lives in the schema `tenant_<name>`.
 *
 * @throws {AppError} 400 `invalid_tenant_name`.
 */
export async function ensureTenant(queries: Queries, name: string, now: Date): Promise<Tenant> {
  if (!NAME.test(name)) {
    throw refusal("invalid_tenant_name");
  }
  await queries
    .insertInto("identity.tenants")
    .values({ id: uuidv7(), name, created_at: now })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return queries.selectFrom("identity.tenants").select(["id", "name"]).where("name", "=", name).executeTakeFirstOrThrow();
}

export async function findTenant(queries: Queries, name: string): Promise<Tenant | undefined> {
  return queries.selectFrom("identity.tenants").select(["id", "name"]).where("name", "=", name).executeTakeFirst();
}

export async function listTenants(queries: Queries): Promise<readonly Tenant[]> {
  return queries.selectFrom("identity.tenants").select(["id", "name"]).orderBy("name").execute();
}
