import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { settleTables } from "./settle.store.ts";
import { ensureTenant, type Tenant } from "./tenant.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  await sql`insert into ${sql.id(tenant.schema, "segments")} (generation, chunks) values (1, 1)`.execute(database.query);
});

afterEach(() => database.drop());

async function addPostings(from: number, count: number): Promise<void> {
  const client = await database.pool.connect();
  try {
    await client.query(
      `insert into "${tenant.schema}".postings (term, segment_id, df, docs)
       select 'term' || number, 1, 1, '\\x00' from generate_series(${from}::int, ${from + count - 1}::int) as number`,
    );
    // Otherwise the server tells of it some seconds later.
    await client.query("select pg_stat_force_next_flush()");
    await client.query("select 1");
  } finally {
    client.release();
  }
}

async function knownRows(): Promise<number> {
  const { rows } = await sql<{ reltuples: number }>`
    select reltuples from pg_class where oid = format('%I.postings', ${tenant.schema}::text)::regclass
  `.execute(database.query);
  return rows[0]?.reltuples ?? -2;
}

test("the planner learns a table's size after a large write, not after each small one", async () => {
  await addPostings(0, 5_000);
  await settleTables(database, tenant);
  expect(await knownRows()).toBe(5_000);
  await addPostings(5_000, 100);
  await settleTables(database, tenant);
  expect(await knownRows()).toBe(5_000);
  await addPostings(5_100, 3_000);
  await settleTables(database, tenant);
  expect(await knownRows()).toBe(8_100);
});
