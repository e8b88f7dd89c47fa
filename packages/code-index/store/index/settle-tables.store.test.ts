import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { startPglite } from "@sightline/foundation/testing/pglite";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { codeIndexMigrations, ensureCodeIndexTenant } from "#index.ts";
import type { CodeIndexTables } from "#schema.ts";
import { tenantSchema } from "#store/tenancy/tenant.ts";
import { settleTables } from "./settle-tables.store.ts";

test("a database that learns nothing by itself is told the sizes of tables that no one has looked at, of the history's too", async () => {
  const server = await startPglite();
  const database = createDatabase<CodeIndexTables>({ url: server.url, log: silentLog, poolSize: 1, applicationName: "sightline-test" });
  try {
    await migrateUp(database.pool, codeIndexMigrations);
    await ensureCodeIndexTenant(database, { tenantId: "one", name: "one" });
    const sizes = () =>
      sql<{ relname: string; known: boolean }>`
        select relname, reltuples >= 0 as known from pg_class
        where relnamespace = 'tenant_one'::regnamespace and relname in ('code_chunks', 'commits', 'changes') order by relname
      `.execute(database.query);
    expect((await sizes()).rows.map(({ known }) => known)).toEqual([false, false, false]);
    await settleTables(database, { schema: tenantSchema("one") }, { paths: 0 });
    expect((await sizes()).rows.map(({ known }) => known)).toEqual([true, true, true]);
  } finally {
    await database.close();
    await server.stop();
  }
});
