import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { insertAccount } from "#accounts/account.store.ts";
import { ensureTenant } from "#accounts/tenant.store.ts";
import { identityMigrations } from "#index.ts";
import type { IdentitySchema } from "#schema.ts";

export type IdentityDatabase = TestDatabase<IdentitySchema>;

/** Identity's tables without identity. */
export function createIdentityDatabase(): Promise<IdentityDatabase> {
  return createTestDatabase<IdentitySchema>(identityMigrations);
}

/** @returns its id. */
export async function addAccount({ query }: IdentityDatabase, email: string, now: Date): Promise<string> {
  const tenant = await ensureTenant(query, "default", now);
  const plan = { tenant_id: tenant.id, email, name: "Ada", role: "admin", password_hash: "x", must_change_password: false } as const;
  const account = await query.transaction().execute((transaction) => insertAccount(transaction, plan, now));
  if (account === undefined) {
    throw new Error(`There is an account ${email} already.`);
  }
  return account.id;
}
