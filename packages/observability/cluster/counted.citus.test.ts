import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { addressOf } from "@sightline/foundation/testing/on-server";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { decodeEntry } from "#events/stream-entry.ts";
import { createCounting } from "#housekeeping/counting.ts";
import { toRows } from "#ingest/event-rows.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { getSqlState } from "#store/refused-data.ts";
import { countMarkedTraces, lockCounting } from "#counting/count-traces.store.ts";
import { clearTables, countOf } from "#testing/consumer-rig.ts";
import { createNumberedProducer } from "#testing/numbered-events.ts";
import { countedAnew, readCounted } from "#testing/read-counted.ts";

const PATIENCE = { timeout: 120_000, interval: 50 };
const random = randomOf(SEED);
const { signal } = new AbortController();

let database: TestDatabase<ObservabilitySchema>;
/** The coordinator and both workers. */
let nodes: readonly Database<ObservabilitySchema>[];
let projects: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const name = new URL(database.url).pathname.slice(1);
  nodes = [inject("databaseUrl"), ...inject("workerUrls")].map((url) =>
    createDatabase<ObservabilitySchema>({ url: addressOf(url, name), poolSize: 3, applicationName: "node", log: silentLog }),
  );
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database.drop();
});

beforeEach(async () => {
  await clearTables(database);
  projects = Array.from({ length: 8 }, () => uuidv7());
  for (const id of projects) {
    await insertProject(database.query, { id, tenantId: "tenant-1", name: "counted" });
  }
});

test(`what was written on any node is counted on any, once (TEST_SEED=${SEED})`, PATIENCE, async () => {
  for (const { query } of [...nodes, ...nodes.toReversed()]) {
    await write(query);
    await count(query);
  }
  await Promise.all(nodes.map(({ query }) => write(query)));
  await Promise.all(nodes.map(({ query }) => count(query)));
  expect(await marks()).toBe(0);
  // Figures, entries and groups are what they are when all of them are made anew.
  expect(await readCounted(database)).toEqual(await countedAnew(database));
});

test(`shards are moved to and fro while events are written and counted, each once (TEST_SEED=${SEED})`, PATIENCE, async () => {
  const moved = new AbortController();
  const working = nodes.map(async ({ query }) => {
    while (!moved.signal.aborted) {
      await unlessDropped(() => write(query));
      await unlessDropped(() => count(query));
    }
  });
  for (const id of [...projects.slice(0, 2), ...projects.slice(0, 2)]) {
    await moveProject(id);
  }
  moved.abort();
  await Promise.all(working);
  await count(database.query);
  expect(await marks()).toBe(0);
  // Figures, entries and groups are what they are when all of them are made anew.
  expect(await readCounted(database)).toEqual(await countedAnew(database));
});

test("two who count the same project through different nodes wait for each other", PATIENCE, async () => {
  const [projectId = ""] = projects;
  await write(database.query);
  const [holder, ...counters] = nodes.map(({ query }) => query);
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = holder?.transaction().execute(async (transaction) => {
    await lockCounting(transaction, projectId);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  let counted = 0;
  const countings = counters.map(async (query) => {
    while (await countMarkedTraces(query, projectId));
    counted += 1;
  });
  await vi.waitFor(async () => expect(await waiting()).toBe(2), PATIENCE);
  expect(counted).toBe(0);
  release.resolve();
  await Promise.all([holding, ...countings]);
  await count(database.query);
  expect(await marks()).toBe(0);
  // Figures, entries and groups are what they are when all of them are made anew.
  expect(await readCounted(database)).toEqual(await countedAnew(database));
});

/** A statement planned for a shard that is dropped meanwhile fails; consumers and housekeeping try again. */
async function unlessDropped(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (getSqlState(error) !== "42P01") {
      throw error;
    }
  }
}

async function write(query: Query): Promise<void> {
  const events = projects.flatMap((projectId) =>
    createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 })
      .next(60)
      .flatMap(({ fields }) => {
        const decoded = decodeEntry(fields);
        return decoded.ok ? [decoded.event] : [];
      }),
  );
  await writeBatch(query, { ...toRows(events, []), deadLetters: [] });
}

async function count(query: Query): Promise<void> {
  const counting = createCounting({ query, log: silentLog });
  while ((await counting.countHours(signal)) !== false);
  while ((await counting.countTraces(signal)) !== false);
}

async function marks(): Promise<number> {
  return (await countOf(database, "trace_marks")) + (await countOf(database, "hourly_marks"));
}

/** Moves the shard of a project to the other worker. The marks have no key, so nothing is written to it meanwhile. */
async function moveProject(projectId: string): Promise<void> {
  const [coordinator = database] = nodes;
  await coordinator.pool.query(
    `select citus_move_shard_placement(shardid, own.nodename, own.nodeport, other.nodename, other.nodeport, 'block_writes')
     from citus_shards as own join pg_dist_node as other on other.groupid <> 0 and other.nodeport <> own.nodeport
     where own.shardid = get_shard_id_for_distribution_column('observability.traces', $1::uuid)`,
    [projectId],
  );
  // What it leaves behind is deleted later by Citus itself; before that it can't be moved back.
  await coordinator.pool.query("call citus_cleanup_orphaned_resources()");
}

/** How many wait for a lock, on all nodes. */
async function waiting(): Promise<number> {
  const counts = await Promise.all(
    nodes.map(({ pool }) =>
      pool.query(
        "select from pg_locks where not granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      ),
    ),
  );
  return counts.reduce((sum, { rows }) => sum + rows.length, 0);
}
