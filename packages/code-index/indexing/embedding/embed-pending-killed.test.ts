import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { answer, answerOf, startEmbeddingProvider, vectorFor, type EmbeddingProvider } from "#testing/embedding-provider.ts";
import { seedChunks } from "#testing/seed-chunks.ts";

const DIMENSIONS = 8;
/** More than the processes make before the last kill: each is killed within six requests and what it sent beside the last of them. */
const TEXTS = 3_000;
const KILLS = 4;
/** Texts that a process has in hand. */
const BATCH = 256;
const LEASE_MS = 1_000;
const PROGRAM = fileURLToPath(new URL("../../testing/run-backfill.ts", import.meta.url));

let database: TestDatabase<CodeIndexTables>;
let provider: EmbeddingProvider;
let tenant: Tenant;
let child: ChildProcess | undefined;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
});

afterEach(async () => {
  await kill();
  await provider.close();
  await database.drop();
});

function start(): void {
  child = spawn(process.execPath, [PROGRAM, database.url, provider.url, String(DIMENSIONS), String(LEASE_MS)], { stdio: "inherit" });
}

async function kill(): Promise<void> {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}

async function made(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id(tenant.schema, "vectors_1")} where embedding is not null
  `.execute(database.query);
  return rows[0]?.count ?? 0;
}

test(
  `processes that are killed lose nothing, and have nothing embedded twice but what they had in hand (TEST_SEED=${SEED})`,
  { ...needsRealPostgres, timeout: 120_000 },
  async () => {
    // One for the kills and one for the answers, whose order is the machine's.
    const [moments, pauses] = [randomOf(SEED), randomOf(SEED + 1)];
    await seedChunks(database, tenant, TEXTS);
    provider.misbehave((request, response) => {
      const vectors = request.texts.map((text) => vectorFor(text, DIMENSIONS));
      setTimeout(() => answer(response, 200, answerOf("openai", vectors)), pauses() * 60);
      return true;
    });
    for (let killed = 0; killed < KILLS; killed++) {
      const before = provider.requests.length;
      start();
      const enough = before + Math.floor(moments() * 6);
      await vi.waitFor(() => expect(provider.requests.length).toBeGreaterThan(enough), { timeout: 20_000, interval: 1 });
      await kill();
      expect(await made(), "the kill came when all was embedded").toBeLessThan(TEXTS);
    }
    start();
    await vi.waitFor(async () => expect(await made()).toBe(TEXTS), { timeout: 60_000, interval: 50 });
    const embedded = provider.requests.flatMap(({ texts }) => texts);
    expect(new Set(embedded).size).toBe(TEXTS);
    expect(embedded.length - TEXTS).toBeLessThanOrEqual(KILLS * BATCH);
    await vi.waitFor(
      async () => {
        const { rows } = await sql<{ pending: number }>`select vectors_pending as pending from codeindex.refs`.execute(database.query);
        expect(rows).toEqual([{ pending: 0 }]);
      },
      { timeout: 10_000 },
    );
  },
);
