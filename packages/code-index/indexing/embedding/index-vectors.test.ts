import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { ensureEmbedder, insertVectors } from "#store/index/vectors.store.ts";
import { seedChunks } from "#testing/seed-chunks.ts";
import { indexVectors } from "./index-vectors.ts";

const CHUNKS = 400;
const INDEXING = { min: 300, fresh: 50, freshShare: 0.1 };

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;
let embedderId: number;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  await ensureTenant(database, { tenantId: "small", name: "small" });
  await seedChunks(database, tenant, CHUNKS);
  await database.query.updateTable("codeindex.refs").set({ chunks: CHUNKS }).execute();
  embedderId = await ensureEmbedder(database, tenant, { key: "test", provider: "test", model: "test", dimensions: 2 });
});

afterAll(() => database.drop());

async function addVectors(from: number, to: number): Promise<void> {
  const vectors = Array.from({ length: to - from }, (_, index) => ({
    textHash: `00000000-0000-0000-0000-${String(from + index).padStart(12, "0")}`,
    vector: Float32Array.of(Math.cos(from + index), Math.sin(from + index)),
  }));
  await insertVectors(database, { ...tenant, embedderId }, vectors);
}

async function indexes(): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where schemaname = ${tenant.schema} and indexname like 'vectors_%_near_%'
  `.execute(database.query);
  return rows.map((row) => row.name);
}

async function inUse(): Promise<string | undefined> {
  const { near_until: until } = await database.query
    .withSchema(tenant.schema)
    .selectFrom("embedders")
    .selectAll()
    .executeTakeFirstOrThrow();
  return until === null ? undefined : `vectors_${embedderId}_near_${until.getTime()}`;
}

function step(): Promise<boolean> {
  return indexVectors({ database, clock: systemClock, log: silentLog, each: eachOwnerUnderTest() }, new AbortController().signal, INDEXING);
}

test("a tenant whose vectors can't be indexed keeps no other's from it", needsRealPostgres, async () => {
  const broken = await ensureTenant(database, { tenantId: "broken", name: "broken" });
  await seedChunks(database, broken, 1);
  await database.query.updateTable("codeindex.refs").set({ chunks: CHUNKS }).where("tenant_id", "=", "broken").execute();
  await sql`drop schema ${sql.id(broken.schema)} cascade`.execute(database.query);
  await addVectors(0, 310);
  expect(await step()).toBe(true);
  expect(await indexes()).toEqual([await inUse()]);
  await database.query.deleteFrom("codeindex.tenants").where("tenant_id", "=", "broken").execute();
  await sql`drop index ${sql.id(tenant.schema, (await indexes())[0] ?? "")}`.execute(database.query);
  await sql`delete from ${sql.id(tenant.schema, `vectors_${embedderId}`)}`.execute(database.query);
  await database.query.withSchema(tenant.schema).updateTable("embedders").set({ near_until: null }).execute();
});

test("many vectors get an index, and another when enough of them are not in it; the old one goes", needsRealPostgres, async () => {
  await addVectors(0, 299);
  expect(await step()).toBe(false);
  await addVectors(299, 320);
  expect(await step()).toBe(true);
  const first = await indexes();
  expect(first).toEqual([await inUse()]);

  await addVectors(320, 360);
  expect(await step()).toBe(false);
  await addVectors(360, 380);
  expect(await step()).toBe(true);
  expect(await indexes()).toEqual([await inUse()]);
  expect(await indexes()).not.toEqual(first);
});

test("what a process that died left is used when it is finished, and dropped when it is not", needsRealPostgres, async () => {
  const until = new Date();
  const table = sql.id(tenant.schema, `vectors_${embedderId}`);
  const left = (at: Date) => sql.id(`vectors_${embedderId}_near_${at.getTime()}`);
  await sql`
    create index ${left(until)} on ${table} using hnsw (embedding halfvec_cosine_ops) where made <= ${sql.lit(until.toISOString())}::timestamptz
  `.execute(database.query);
  const later = new Date(until.getTime() + 1);
  await sql`create index ${left(later)} on ${table} using hnsw (embedding halfvec_cosine_ops)`.execute(database.query);
  await sql`
    update pg_index set indisvalid = false where indexrelid = ${`"${tenant.schema}".vectors_${embedderId}_near_${later.getTime()}`}::regclass
  `.execute(database.query);

  expect(await step()).toBe(false);
  expect(await indexes()).toEqual([`vectors_${embedderId}_near_${until.getTime()}`]);
  expect(await inUse()).toBe(`vectors_${embedderId}_near_${until.getTime()}`);
});

test("who is told to stop leaves the index in use as it was", needsRealPostgres, async () => {
  const before = await inUse();
  await addVectors(380, 480);
  const stopping = indexVectors(
    { database, clock: systemClock, log: silentLog, each: eachOwnerUnderTest() },
    AbortSignal.abort(new Error("stopping")),
    INDEXING,
  );
  await expect(stopping).rejects.toThrow("stopping");
  expect(await inUse()).toBe(before);
});
