import { sql } from "kysely";
import { HAS_SECOND_FACTOR, INVITED } from "#account-facts.ts";
import { foldEmail } from "#accounts/account.store.ts";
import type { Queries, Role, Transaction } from "#schema.ts";

/** An account as it is while an admin acts on it. */
export type ManagedAccount = NonNullable<Awaited<ReturnType<typeof lockManagedAccount>>>;

const COLUMNS = [
  "id",
  "tenant_id as tenantId",
  "email",
  "name",
  "role",
  "disabled_at as disabledAt",
  "must_change_password as mustChangePassword",
  INVITED,
] as const;

type OwnAccount = { readonly id: string; readonly tenantId: string };

/**
 * Taken to the end of the transaction by everything that changes who may do what in a tenant, so that its last admin
 * stays. It is taken before any account's row; accounts can still be made and log in meanwhile.
 */
export async function lockAdministration(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.selectFrom("identity.tenants").select("id").where("id", "=", tenantId).forNoKeyUpdate().executeTakeFirst();
}

export async function lockManagedAccount(transaction: Transaction, { id, tenantId }: OwnAccount) {
  return transaction
    .selectFrom("identity.users as user")
    .select(COLUMNS)
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .forUpdate()
    .executeTakeFirst();
}

export async function isActiveAdmin(queries: Queries, { id, tenantId }: OwnAccount): Promise<boolean> {
  return (await activeAdmins(queries, tenantId).where("id", "=", id).executeTakeFirst()) !== undefined;
}

export async function hasOtherActiveAdmin(queries: Queries, { id, tenantId }: OwnAccount): Promise<boolean> {
  return (await activeAdmins(queries, tenantId).where("id", "!=", id).limit(1).executeTakeFirst()) !== undefined;
}

export type AccountChanges = {
  readonly name?: string;
  readonly email?: string;
  readonly role?: Role;
  readonly disabledAt?: Date | null;
  readonly mustChangePassword?: true;
};

export async function updateAccount(
  transaction: Transaction,
  id: string,
  { name, email, role, disabledAt, mustChangePassword }: AccountChanges,
): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set({
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email, folded_email: foldEmail(email) }),
      // A member, or an account that is disabled, is kept for no emergency.
      ...(role === "member" || disabledAt instanceof Date ? { break_glass: false } : {}),
      ...(role === undefined ? {} : { role }),
      ...(disabledAt === undefined ? {} : { disabled_at: disabledAt }),
      ...(mustChangePassword === undefined ? {} : { must_change_password: mustChangePassword }),
    })
    .where("id", "=", id)
    .execute();
}

/** Deletes the account's sessions, tickets, notices and counters with it; the audit stays. */
export async function deleteAccountRow(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom("identity.users").where("id", "=", id).execute();
}

export async function listTenantAccounts(queries: Queries, tenantId: string): Promise<readonly string[]> {
  const rows = await queries.selectFrom("identity.users").select("id").where("tenant_id", "=", tenantId).execute();
  return rows.map(({ id }) => id);
}

/** @returns false while it has accounts. */
export async function deleteTenantRow(queries: Queries, tenantId: string): Promise<boolean> {
  const { rows } = await sql`
    with deleted as (
      delete from identity.tenants as tenant
      where id = ${tenantId} and not exists (select from identity.users where users.tenant_id = tenant.id) returning id
    )
    select from identity.users where tenant_id = ${tenantId} limit 1
  `.execute(queries);
  return rows.length === 0;
}

/** The admins of every tenant, for the host's command line. */
export async function listAdmins(queries: Queries) {
  return queries
    .selectFrom("identity.users as user")
    .innerJoin("identity.tenants as tenant", "tenant.id", "user.tenant_id")
    .select([
      "tenant.name as tenant",
      "user.email",
      "user.name",
      "user.disabled_at as disabledAt",
      HAS_SECOND_FACTOR.as("hasSecondFactor"),
      "user.must_change_password as mustChangePassword",
      "user.last_login_at as lastLoginAt",
    ])
    .where("user.role", "=", "admin")
    .orderBy("tenant.name")
    .orderBy("folded_email")
    .execute();
}

function activeAdmins(queries: Queries, tenantId: string) {
  return queries
    .selectFrom("identity.users")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("role", "=", "admin")
    .where("disabled_at", "is", null);
}
