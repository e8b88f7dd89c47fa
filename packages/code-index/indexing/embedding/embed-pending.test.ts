import { systemClock } from "@sightline/foundation/clock";
import { createLog, type Logger } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Embedder } from "#embedding/embedder.ts";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { claimTexts } from "./waiting-vectors.store.ts";
import { createKnown, DIMENSIONS } from "#testing/embedding-outcomes.ts";
import { answer, startEmbeddingProvider, type EmbeddingProvider } from "#testing/embedding-provider.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { seedChunks } from "#testing/seed-chunks.ts";
import { createBackfill, type Backfill, type BackfillTiming } from "./embed-pending.ts";

const TIMING: BackfillTiming = { idleMs: 20, retryMs: 20, leaseMs: 60_000 };

let database: TestDatabase<CodeIndexTables>;
let provider: EmbeddingProvider;
let tenant: Tenant;
let running: Backfill[];

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((backfill) => backfill.stop()));
  await provider.close();
  await database.drop();
});

function createRemote(model = "small"): Embedder {
  return createKnown({
    CODEINDEX_EMBEDDER: "openai",
    CODEINDEX_EMBEDDING_URL: provider.url,
    CODEINDEX_EMBEDDING_MODEL: model,
    CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
  });
}

type Starting = { readonly embedder?: Embedder | undefined; readonly log?: Logger; readonly timing?: BackfillTiming };

async function start({ embedder, log = silentLog, timing = TIMING }: Starting = { embedder: createRemote() }): Promise<Backfill> {
  const backfill = createBackfill({ database, embedder, log, clock: systemClock, timing });
  running.push(backfill);
  await backfill.start();
  return backfill;
}

/** Files of one chunk each. */
function filesOf(length: number, name = "file"): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`${name}${index}.ts`, `export const ${name}${index} = ${index};\n`]));
}

async function repository(repo = "acme/shop") {
  const { rows } = await sql<{ index_status: string; vectors_pending: number; vectors_error: string | null }>`
    select index_status, vectors_pending, vectors_error from codeindex.repositories as repository
    join codeindex.refs as ref on ref.repo_id = repository.id where full_name = ${repo}
  `.execute(database.query);
  return rows[0];
}

async function embedders() {
  return database.query.withSchema(tenant.schema).selectFrom("embedders").selectAll().orderBy("embedder_id").execute();
}

async function count(embedderId: number, what = sql`true`): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id(tenant.schema, `vectors_${embedderId}`)} where ${what}
  `.execute(database.query);
  return rows[0]?.count ?? 0;
}

const MADE = sql`embedding is not null`;

/** Long enough for a busy machine. */
async function eventually(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 20_000, interval: 20 });
}

async function waitForReady(repo?: string): Promise<void> {
  await eventually(async () => expect(await repository(repo)).toEqual({ index_status: "ready", vectors_pending: 0, vectors_error: null }));
}

async function waitForVectors(embedderId: number, expected: number): Promise<void> {
  await eventually(async () => expect(await count(embedderId, MADE)).toBe(expected));
}

test("every chunk of every tenant gets a vector, the same text once", async () => {
  const other = await ensureTenant(database, { tenantId: "two", name: "two" });
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(20) });
  await seedBuild(database, { tenant, repo: "acme/fork", files: filesOf(20) });
  await seedBuild(database, { tenant: other, repo: "acme/shop", files: filesOf(1) });
  await start();
  await waitForVectors(1, 20);
  await eventually(async () => expect(provider.requests.flatMap(({ texts }) => texts)).toHaveLength(21));
  await eventually(async () =>
    expect(await embedders()).toEqual([expect.objectContaining({ complete_at: expect.any(Date), provider: "openai" })]),
  );
  expect(provider.requests[0]?.texts[0]).toMatch(/^file\d+ ts: \nexport const/);
});

test("while the provider is down the repository says so in its words, and it is ready when the provider is back", async () => {
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => lines.push(line) } });
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(3) });
  provider.misbehave((_request, response) => answer(response, 503, { error: { message: "maintenance until noon" } }));
  await start({ embedder: createRemote(), log });
  await eventually(async () =>
    expect(await repository()).toEqual({
      index_status: "indexing",
      vectors_pending: 3,
      vectors_error: expect.stringContaining("503: maintenance until noon"),
    }),
  );
  await eventually(async () => expect(provider.requests.length).toBeGreaterThan(12));
  provider.recover();
  await waitForReady();
  expect(await count(1, MADE)).toBe(3);
  expect(await embedders()).toEqual([expect.objectContaining({ last_error: null, last_error_at: null })]);
  expect(lines.filter((line) => line.includes("maintenance"))).toHaveLength(1);
});

test("a wrong key is told, and mended without a restart when the provider takes it", async () => {
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(3) });
  provider.misbehave((_request, response) => answer(response, 401, { error: { message: "unknown key" } }));
  await start({ embedder: createRemote(), timing: { ...TIMING, retryMs: 5 } });
  await eventually(async () => expect((await repository())?.vectors_error).toContain("401: unknown key"));
  provider.recover();
  await waitForReady();
});

test("a text that is refused is recorded with the reason and keeps nothing else waiting", async () => {
  await seedBuild(database, { tenant, repo: "acme/shop", files: { ...filesOf(20), "bad.ts": "BAD\n" } });
  provider.misbehave(
    (request, response) => request.texts.some((text) => text.includes("BAD")) && answer(response, 400, { error: { message: "unsafe" } }),
  );
  await start();
  await waitForVectors(1, 20);
  await waitForReady();
  expect(await count(1, sql`error like '%400: unsafe' and embedding is null and claimed_until is null`)).toBe(1);
});

test("three processes share what waits, and embed nothing twice", needsRealPostgres, async () => {
  await seedChunks(database, tenant, 1_500);
  await Promise.all([start(), start(), start()]);
  await waitForVectors(1, 1_500);
  await waitForReady();
  expect(provider.requests.flatMap(({ texts }) => texts)).toHaveLength(1_500);
});

test("what a killed process had in hand is taken over when its claim lapses, and not before", async () => {
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(10) });
  const first = await start({ embedder: createRemote() });
  await waitForVectors(1, 10);
  await first.stop();
  await sql`update ${sql.id(tenant.schema, "vectors_1")} set embedding = null`.execute(database.query);
  const now = new Date();
  const dead = await claimTexts(
    database,
    { schema: tenant.schema, role: tenant.role, embedderId: 1 },
    { limit: 4, now, until: new Date(now.getTime() + 700) },
  );
  expect(dead).toHaveLength(4);
  await start({ embedder: createRemote() });
  await waitForVectors(1, 6);
  expect(await count(1, sql`claimed_until > now()`)).toBe(4);
  await waitForVectors(1, 10);
});

test("what was embedded before a process was stopped is kept, and the rest is free at once", async () => {
  await seedChunks(database, tenant, 256);
  provider.misbehave((_request, _response) => provider.requests.length > 2);
  const backfill = await start();
  await eventually(async () => expect(provider.requests.length).toBeGreaterThan(3));
  await backfill.stop();
  expect(await count(1, MADE)).toBeGreaterThanOrEqual(64);
  expect(await count(1, sql`claimed_until is not null`)).toBe(0);
});

test("searches keep to the old vectors until the last new one is there, and then the old ones are deleted", async () => {
  await seedChunks(database, tenant, 300);
  const first = await start({ embedder: createRemote("old") });
  await waitForVectors(1, 300);
  await eventually(async () =>
    expect(await embedders()).toEqual([expect.objectContaining({ model: "old", complete_at: expect.any(Date) })]),
  );
  await first.stop();

  provider.misbehave(
    (request, response) =>
      request.body["model"] === "new" && request.texts.some((text) => text.includes("value7 ")) && answer(response, 429, "later"),
  );
  const clock = { now: () => new Date() };
  const second = createBackfill({
    database,
    embedder: createRemote("new"),
    log: silentLog,
    clock: { now: () => clock.now() },
    timing: TIMING,
  });
  running.push(second);
  await second.start();
  await eventually(async () => expect(await count(2, MADE)).toBeGreaterThan(0));
  expect(await embedders()).toEqual([
    expect.objectContaining({ model: "old", complete_at: expect.any(Date) }),
    expect.objectContaining({ model: "new", complete_at: null }),
  ]);
  // The vectors in use are whole: nothing waits for those.
  expect(await repository()).toMatchObject({ index_status: "ready", vectors_pending: 0 });
  provider.recover();
  await eventually(async () => expect((await embedders())[1]?.complete_at).toEqual(expect.any(Date)));
  expect(await count(1, MADE)).toBe(300);
  let ahead = 0;
  clock.now = () => new Date(Date.now() + (ahead += 60_000));
  await eventually(async () => expect(await embedders()).toEqual([expect.objectContaining({ model: "new" })]));
  await expect(count(1)).rejects.toThrow(/does not exist/);
  expect(await count(2, MADE)).toBe(300);
});

test("a process whose embedder was replaced by another process makes no vectors any more", async () => {
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => lines.push(line) } });
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(3) });
  await start({ embedder: createRemote("old"), log });
  await waitForVectors(1, 3);
  await eventually(async () => expect((await embedders())[0]?.complete_at).toEqual(expect.any(Date)));
  await sql`delete from ${sql.id(tenant.schema, "embedders")}`.execute(database.query);
  await sql`drop table ${sql.id(tenant.schema, "vectors_1")}`.execute(database.query);
  await sql`update codeindex.refs set vectors_pending = 1`.execute(database.query);
  await eventually(async () => expect(lines.filter((line) => line.includes("has replaced this embedder"))).toHaveLength(1));
  expect(await embedders()).toEqual([]);
});

test("without an embedder nothing waits", async () => {
  await seedBuild(database, { tenant, repo: "acme/shop", files: filesOf(3) });
  provider.misbehave((_request, response) => answer(response, 503, "down"));
  const first = await start();
  await eventually(async () => expect(await repository()).toMatchObject({ index_status: "indexing", vectors_pending: 3 }));
  await first.stop();
  await start({ embedder: undefined });
  expect(await repository()).toEqual({ index_status: "ready", vectors_pending: 0, vectors_error: null });
  expect(await count(1)).toBe(0);
});
