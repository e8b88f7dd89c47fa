import { AppError } from "@sightline/foundation/errors";
import type { Database } from "@sightline/foundation/database";
import { sql, type Kysely, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { TENANT_REVISIONS } from "./tenant-template.ts";

export type CodeIndexDatabase = Database<CodeIndexTables>;

/** A registered tenant; `schema` is where its tables are. */
export type Tenant = {
  /** The `tid` of access tokens. */
  readonly tenantId: string;
  readonly name: string;
  readonly schema: TenantSchema;
};

/** Name of a tenant's schema, not quoted. Only this file makes one. */
export type TenantSchema = string & { readonly __brand: "TenantSchema" };

/** PostgreSQL cuts longer names silently, and two tenants would share one schema. */
const NAME_BYTES = 63;
const PREFIX = "tenant_";

/** Any number: who creates or changes a tenant's schema waits for the others who do. */
const LOCK = 7_417_340_922;

/**
 * Registers `tenantId` and makes its schema `tenant_<name>`, or brings it to the
 * latest revision of the template. Safe to call often and from many processes.
 *
 * @throws {AppError} `invalid_tenant_name` (400), `tenant_name_taken` (409), `tenant_renamed` (409).
 */
export async function ensureTenant(
  database: CodeIndexDatabase,
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
): Promise<Tenant> {
  const schema = schemaOf(name);
  await database.query.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    const known = await transaction
      .selectFrom("codeindex.tenants")
      .selectAll()
      .where((where) => where.or([where("tenant_id", "=", tenantId), where("name", "=", name)]))
      .execute();
    refuseConflict(known, { tenantId, name });
    if (known.length === 0) {
      await transaction.insertInto("codeindex.tenants").values({ tenant_id: tenantId, name }).execute();
    }
    await applyRevisions(transaction, { tenantId, schema, from: known[0]?.schema_revision ?? 0 });
  });
  return { tenantId, name, schema };
}

/** Brings every tenant's schema to the latest revision of the template. */
export async function migrateTenants(database: CodeIndexDatabase): Promise<void> {
  const behind = await database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id", "name"])
    .where("schema_revision", "<", TENANT_REVISIONS.length)
    .execute();
  for (const { tenant_id: tenantId, name } of behind) {
    await ensureTenant(database, { tenantId, name });
  }
}

/** The tenant of a `tid`, or `undefined` when it was never registered. */
export async function findTenant(database: CodeIndexDatabase, tenantId: string): Promise<Tenant | undefined> {
  const row = await database.query
    .selectFrom("codeindex.tenants")
    .select(["tenant_id", "name"])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row === undefined ? undefined : { tenantId: row.tenant_id, name: row.name, schema: schemaOf(row.name) };
}

/**
 * The query builder, seeing one tenant's tables; those of the service keep their own schema.
 * In `sql` text write `sql.id(schema, "code_chunks")`: names enter SQL only through it, which quotes whatever they hold.
 */
export function tenantTables(database: CodeIndexDatabase, schema: TenantSchema): Kysely<CodeIndexTables> {
  return database.query.withSchema(schema);
}

function schemaOf(name: string): TenantSchema {
  const schema = PREFIX + name;
  if (name === "" || name.includes("\0") || Buffer.byteLength(schema) > NAME_BYTES) {
    throw new AppError({
      code: "invalid_tenant_name",
      status: 400,
      message: `A tenant's name has 1 to ${NAME_BYTES - PREFIX.length} bytes.`,
    });
  }
  return schema as TenantSchema;
}

type Known = { readonly tenant_id: string; readonly name: string };

function refuseConflict(known: readonly Known[], { tenantId, name }: { readonly tenantId: string; readonly name: string }): void {
  if (known.some((row) => row.name === name && row.tenant_id !== tenantId)) {
    throw new AppError({ code: "tenant_name_taken", status: 409, message: `Another tenant is named "${name}".` });
  }
  const other = known.find((row) => row.tenant_id === tenantId && row.name !== name);
  if (other !== undefined) {
    throw new AppError({
      code: "tenant_renamed",
      status: 409,
      message: `This tenant is registered as "${other.name}"; its schema carries that name and can't be renamed.`,
    });
  }
}

type Revising = { readonly tenantId: string; readonly schema: TenantSchema; readonly from: number };

async function applyRevisions(transaction: Transaction<CodeIndexTables>, { tenantId, schema, from }: Revising): Promise<void> {
  for (const revision of TENANT_REVISIONS.slice(from)) {
    await revision({ schema: sql.id(schema), tenantId: sql.lit(tenantId) }).execute(transaction);
  }
  await transaction
    .updateTable("codeindex.tenants")
    .set({ schema_revision: TENANT_REVISIONS.length })
    .where("tenant_id", "=", tenantId)
    .execute();
}
