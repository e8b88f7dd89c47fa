import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { refusal } from "@sightline/foundation/errors";
import type { Database } from "@sightline/foundation/database/database";
import type { Logger } from "@sightline/foundation/log";
import { beganColumns, whileWanted, type Began } from "@sightline/foundation/database/while-wanted";
import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { isCluster, keepOnNode } from "./cluster.store.ts";
import { placeNewTenant } from "./place-tenant.ts";
import { ensureTenantRole } from "./tenant-role.store.ts";
import { TENANT_REVISIONS } from "./tenant-template.ts";

export type CodeIndexDatabase = Database<CodeIndexTables> & {
  /** Whoever asks stopped waiting when it is aborted: reads of tenants' tables end then. */
  readonly signal?: AbortSignal | undefined;
};

/** The database for one request: what it reads of tenants' tables is cancelled, on the server too, when `signal` is aborted. */
export function untilAborted(database: CodeIndexDatabase, signal: AbortSignal | undefined): CodeIndexDatabase {
  const signals = [database.signal, signal].filter((given) => given !== undefined);
  return signals.length === 0 ? database : { ...database, signal: AbortSignal.any(signals) };
}

/** A registered tenant; `schema` is where its tables are. */
export type Tenant = {
  /** The `tid` of access tokens. */
  readonly tenantId: string;
  readonly name: string;
  readonly schema: TenantSchema;
  /** The database role that sees this schema and nothing else; null where the server lets us make none. */
  readonly role: string | null;
};

/**
 * Name of a tenant's schema, not quoted; only this file makes one. In `sql` text write `sql.id(schema, "code_chunks")`: names
 * enter SQL only through it, which quotes whatever they hold.
 */
export type TenantSchema = string & { readonly __brand: "TenantSchema" };

/** PostgreSQL cuts longer names silently, and two tenants would share one schema. */
const NAME_BYTES = 63;
const PREFIX = "tenant_";

/**
 * Registers `tenantId`, makes its schema `tenant_<name>` with a database role of its own, or brings them to the latest
 * revision of the template. Safe to call often and from many processes.
 *
 * @throws {AppError} `invalid_tenant_name`, `invalid_tenant_id` (400), `tenant_name_taken`, `tenant_renamed`, `tenant_deleting` (409).
 */
export async function ensureTenant(
  database: CodeIndexDatabase,
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
): Promise<Tenant> {
  const schema = tenantSchema(name);
  refuseBrokenText(tenantId);
  const { tenant, isSpread } = await database.query.transaction().execute(async (transaction) => {
    // Who creates or changes a tenant's schema waits for the others who do.
    await sql`select pg_advisory_xact_lock(${lockKey("code-index.tenants")})`.execute(transaction);
    const known = await transaction
      .selectFrom("codeindex.tenants")
      .selectAll()
      .where((where) => where.or([where("tenant_id", "=", tenantId), where("name", "=", name)]))
      .execute();
    refuseConflict(known, { tenantId, name });
    if (known.length === 0) {
      await transaction.insertInto("codeindex.tenants").values({ tenant_id: tenantId, name }).execute();
    }
    for (const revision of TENANT_REVISIONS.slice(known[0]?.schema_revision ?? 0)) {
      await revision({ schema: sql.id(schema), tenantId: sql.lit(tenantId) }).execute(transaction);
    }
    const role = await ensureTenantRole(transaction, schema);
    const isNew = known.length === 0;
    const onCluster = await isCluster(transaction);
    if (onCluster) {
      await keepOnNode(transaction, { schema, role, isNew });
    }
    await transaction
      .updateTable("codeindex.tenants")
      .set({ schema_revision: TENANT_REVISIONS.length, database_role: role })
      .where("tenant_id", "=", tenantId)
      .execute();
    return { tenant: { tenantId, name, schema, role }, isSpread: onCluster && isNew };
  });
  if (isSpread) {
    // It is whole wherever it is.
    await placeNewTenant(database.query, name).catch(() => undefined);
  }
  return tenant;
}

/** Brings every tenant's schema to the latest revision of the template, and gives it a role where it has none to take on. */
export async function migrateTenants(database: CodeIndexDatabase, log: Logger): Promise<void> {
  const { rows } = await sql<{ tenantId: string; name: string }>`
    select tenant_id as "tenantId", name from codeindex.tenants as tenant
    where deleting_at is null and (schema_revision < ${TENANT_REVISIONS.length} or not coalesce((
      select pg_has_role(role.oid, 'member') and strpos(tenant.database_role, '_' || current.oid || '_') > 0
      from pg_roles as role, pg_database as current
      where role.rolname = tenant.database_role and current.datname = current_database()
    ), false))
  `.execute(database.query);
  let without = 0;
  for (const tenant of rows) {
    const { role } = await ensureTenant(database, tenant);
    without += role === null ? 1 : 0;
  }
  if (without > 0) {
    log.warn(
      { tenants: without },
      "tenants are kept apart by queries and schemas alone: the database user may not make roles; to have the database itself refuse what is another tenant's, let an administrator run: alter role <user> createrole",
    );
  }
}

/** The tenant of a `tid`, or `undefined` when it was never registered or is being deleted. */
export async function findTenant(database: CodeIndexDatabase, tenantId: string): Promise<Tenant | undefined> {
  // What the database's encoding can't hold would be looked up, and kept, as something else.
  if (!isText(tenantId)) {
    return undefined;
  }
  const row = await database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id", "name", "database_role"])
    .where("tenant_id", "=", tenantId)
    .where("deleting_at", "is", null)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : { tenantId: row.tenant_id, name: row.name, schema: tenantSchema(row.name), role: row.database_role };
}

/** Every tenant that is not being deleted. */
export async function listTenants(database: CodeIndexDatabase): Promise<readonly Tenant[]> {
  const rows = await database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id", "name", "database_role"])
    .where("deleting_at", "is", null)
    .where("schema_revision", "=", TENANT_REVISIONS.length)
    .orderBy("tenant_id")
    .execute();
  return rows.map((row) => ({ tenantId: row.tenant_id, name: row.name, schema: tenantSchema(row.name), role: row.database_role }));
}

type Visit = {
  /** The database gives a statement up after so long. */
  readonly milliseconds?: number;
  /** As `hnsw.ef_search`. */
  readonly efSearch?: number | undefined;
  /** Nothing may be written, and all is seen as it was at one moment. */
  readonly readOnly?: boolean;
};

/**
 * The door to a tenant's tables: runs `work` in a transaction as the tenant's database role, so that the database itself
 * refuses whatever is not in its schema; the service's own tables (`codeindex.*`) too. What needs both goes in two steps,
 * or without the role. Tables are made outside of it: they belong to the service, and the role may use them at once.
 */
export async function withinTenant<Result>(
  database: CodeIndexDatabase,
  { schema, role }: Pick<Tenant, "schema" | "role">,
  { milliseconds, efSearch, readOnly = false }: Visit,
  work: (transaction: Transaction<CodeIndexTables>) => Promise<Result>,
): Promise<Result> {
  const transactions = database.query.transaction();
  const begun = readOnly ? transactions.setIsolationLevel("repeatable read").setAccessMode("read only") : transactions;
  return begun.execute(async (transaction) => {
    const timeout = milliseconds === undefined ? sql`current_setting('statement_timeout')` : sql`${String(milliseconds)}`;
    const signal = readOnly ? database.signal : undefined;
    const { rows } = await sql<Began>`
      select set_config('role', ${role ?? "none"}, true), set_config('statement_timeout', ${timeout}, true)
      ${efSearch === undefined ? sql`` : sql`, set_config('hnsw.ef_search', ${String(efSearch)}, true)`}
      ${signal === undefined ? sql`` : sql`, ${beganColumns}`}
    `.execute(transaction);
    const inSchema = transaction.withSchema(schema);
    return signal === undefined ? work(inSchema) : whileWanted(inSchema, { database, signal, running: rows[0] }, work);
  });
}

/** Reads a tenant's tables as they are at one moment, as its role; the database gives a statement up after so many milliseconds. */
export async function readAs<Result>(
  database: CodeIndexDatabase,
  tenant: Tenant,
  visit: number | Pick<Visit, "milliseconds" | "efSearch">,
  read: (transaction: Transaction<CodeIndexTables>) => Promise<Result>,
): Promise<Result> {
  const given = typeof visit === "number" ? { milliseconds: visit } : visit;
  return withinTenant(database, tenant, { ...given, readOnly: true }, read);
}

/**
 * Who deletes or moves contents that others may be about to use holds the tenant `alone`, who begins to use them
 * `with-others`. Until the transaction ends, so both only for moments.
 */
export async function lockTenant(
  transaction: Transaction<CodeIndexTables>,
  { tenantId }: { readonly tenantId: string },
  how: "with-others" | "alone",
): Promise<void> {
  const lock = how === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(${lockKey("code-index.tenant", tenantId)})`.execute(transaction);
}

export function tenantSchema(name: string): TenantSchema {
  const schema = PREFIX + name;
  if (name === "" || !isText(name) || Buffer.byteLength(schema) > NAME_BYTES) {
    throw refusal(400, "invalid_tenant_name", `A tenant's name has 1 to ${NAME_BYTES - PREFIX.length} bytes.`);
  }
  return schema as TenantSchema;
}

function isText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function refuseBrokenText(tenantId: string): void {
  if (!isText(tenantId)) {
    throw refusal(400, "invalid_tenant_id", "A tenant's id is text without a NUL character.");
  }
}

type Known = { readonly tenant_id: string; readonly name: string; readonly deleting_at: Date | null };

function refuseConflict(known: readonly Known[], { tenantId, name }: { readonly tenantId: string; readonly name: string }): void {
  if (known.some((row) => row.deleting_at !== null)) {
    throw refusal(409, "tenant_deleting", "This tenant is being deleted; try again in a minute.");
  }
  if (known.some((row) => row.name === name && row.tenant_id !== tenantId)) {
    throw refusal(409, "tenant_name_taken", `Another tenant is named "${name}".`);
  }
  const other = known.find((row) => row.tenant_id === tenantId && row.name !== name);
  if (other !== undefined) {
    throw refusal(
      409,
      "tenant_renamed",
      `This tenant is registered as "${other.name}"; its schema carries that name and can't be renamed.`,
    );
  }
}
