import { createHash } from "node:crypto";
import { errorCode } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { sql, type Kysely, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/** What of a tenant's schema name shows in its role's. */
const SHOWN = 30;

/**
 * Gives the tenant's schema to a database role of its own, which sees nothing else: queries take it on for their
 * transaction. Makes the role where it is missing, as after the database was restored on another server.
 *
 * @returns null where the server does not let us make roles, or the one that is there is not ours to take on.
 */
export async function ensureTenantRole(transaction: Transaction<CodeIndexTables>, schema: string): Promise<string | null> {
  const role = await roleOf(transaction, schema);
  await sql`savepoint tenant_role`.execute(transaction);
  try {
    await makeRole(transaction, role);
    await grantSchema(transaction, role, schema);
    await sql`release savepoint tenant_role`.execute(transaction);
    return role;
  } catch (error) {
    if (!isRefusal(error)) {
      throw error;
    }
    await sql`rollback to savepoint tenant_role`.execute(transaction);
    return null;
  }
}

/** Takes the tenant's role away, after its schema is gone. Safe to repeat. */
export async function dropTenantRole(transaction: Transaction<CodeIndexTables>, role: string, log: Logger): Promise<void> {
  if (!(await roleExists(transaction, role))) {
    return;
  }
  await sql`savepoint tenant_role`.execute(transaction);
  try {
    await sql`drop owned by ${sql.id(role)}`.execute(transaction);
    await sql`drop role ${sql.id(role)}`.execute(transaction);
    await sql`release savepoint tenant_role`.execute(transaction);
  } catch (error) {
    if (!isRefusal(error) && errorCode(error) !== IN_USE_ELSEWHERE) {
      throw error;
    }
    await sql`rollback to savepoint tenant_role`.execute(transaction);
    log.warn({ role, err: error }, "a deleted tenant's database role is left: another database gives it rights, or it is not ours");
  }
}

/**
 * Roles belong to the whole server, tenants to a database: the name holds the database's number, so that neither another
 * Sightline nor a copy of this database shares it, and who drops a database can tell which roles went with it.
 */
async function roleOf(transaction: Transaction<CodeIndexTables>, schema: string): Promise<string> {
  const { rows } = await sql<{ oid: number }>`select oid::bigint from pg_database where datname = current_database()`.execute(transaction);
  const shown = schema.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_");
  const hash = createHash("sha256").update(schema).digest("hex").slice(0, 12);
  return `${shown.slice(0, SHOWN)}_${rows[0]?.oid ?? 0}_${hash}`;
}

async function makeRole(transaction: Transaction<CodeIndexTables>, role: string): Promise<void> {
  if (!(await roleExists(transaction, role))) {
    await sql`create role ${sql.id(role)} nologin`.execute(transaction);
  }
  await sql`grant ${sql.id(role)} to current_user`.execute(transaction);
}

async function grantSchema(transaction: Transaction<CodeIndexTables>, role: string, name: string): Promise<void> {
  const to = sql.id(role);
  const schema = sql.id(name);
  await sql`grant usage on schema ${schema} to ${to}`.execute(transaction);
  await sql`grant select, insert, update, delete on all tables in schema ${schema} to ${to}`.execute(transaction);
  await sql`grant usage, select on all sequences in schema ${schema} to ${to}`.execute(transaction);
  // The service's rows that the views show are not for it to change.
  await sql`revoke insert, update, delete on ${sql.id(name, "repositories")}, ${sql.id(name, "refs")} from ${to}`.execute(transaction);
  // What is made there later, as the vectors' tables are.
  await sql`alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${to}`.execute(transaction);
  await sql`alter default privileges in schema ${schema} grant usage, select on sequences to ${to}`.execute(transaction);
}

async function roleExists(query: Kysely<CodeIndexTables>, role: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${role}`.execute(query);
  return rows.length > 0;
}

/** Not allowed, or not known, as on a server that only looks like PostgreSQL. */
const REFUSALS = ["42501", "0A000", "0LP01"];
const IN_USE_ELSEWHERE = "2BP01";

function isRefusal(error: unknown): boolean {
  return REFUSALS.includes(errorCode(error) ?? "");
}
