import { migrateDown } from "@sightline/foundation/database/migrations";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { tenantTables } from "#testing/tenant-tables.ts";
import { ensureTenant, findTenant, migrateTenants } from "./tenant.ts";

let database: TestDatabase<CodeIndexTables>;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
});

afterEach(() => database.drop());

async function schemas(): Promise<string[]> {
  const { rows } = await sql<{ nspname: string }>`select nspname from pg_namespace where nspname like 'tenant%' order by 1`.execute(
    database.query,
  );
  return rows.map((row) => row.nspname);
}

test("a tenant gets a schema named tenant_<name> with a code_chunks table", async () => {
  await ensureTenant(database, { tenantId: "t1", name: "default" });
  expect(await schemas()).toEqual(["tenant_default"]);
  expect(await sql`select * from tenant_default.code_chunks`.execute(database.query)).toMatchObject({ rows: [] });
});

test("a tenant registered twice, or by ten at once, is one tenant", needsRealPostgres, async () => {
  await Promise.all(Array.from({ length: 10 }, () => ensureTenant(database, { tenantId: "t1", name: "default" })));
  await migrateTenants(database, silentLog);
  expect(await schemas()).toEqual(["tenant_default"]);
});

test.for([`x"; drop schema codeindex cascade; --`, "Ünïcode ❤", "a.b", "a$$b", "'", "tenant_a", "public"])(
  "the tenant name %s is only ever a name",
  async (name) => {
    const { schema } = await ensureTenant(database, { tenantId: "t1", name });
    expect(await schemas()).toEqual([`tenant_${name}`]);
    expect(await tenantTables(database, schema).selectFrom("code_chunks").selectAll().execute()).toEqual([]);
    expect(await findTenant(database, "t1")).toMatchObject({ tenantId: "t1", name, schema });
  },
);

test.for(["", "x".repeat(57), "é".repeat(29), "a\0b"])("the name %j, which PostgreSQL would cut or refuse, is refused", async (name) => {
  await expect(ensureTenant(database, { tenantId: "t1", name })).rejects.toMatchObject({ code: "invalid_tenant_name", status: 400 });
});

test("two tenants never share a name, and a tenant keeps its own", async () => {
  await ensureTenant(database, { tenantId: "t1", name: "one" });
  await expect(ensureTenant(database, { tenantId: "t2", name: "one" })).rejects.toMatchObject({ code: "tenant_name_taken" });
  await expect(ensureTenant(database, { tenantId: "t1", name: "two" })).rejects.toMatchObject({ code: "tenant_renamed" });
  expect(await findTenant(database, "t2")).toBeUndefined();
});

test("taking the migrations back leaves no tenant schema and no role", async () => {
  const { role } = await ensureTenant(database, { tenantId: "t1", name: `o"ne` });
  while ((await migrateDown(database.pool, codeIndexMigrations)) !== undefined) {
    // The newest first, one at a time.
  }
  expect(await schemas()).toEqual([]);
  expect((await sql`select from pg_roles where rolname = ${role}`.execute(database.query)).rows).toEqual([]);
});
