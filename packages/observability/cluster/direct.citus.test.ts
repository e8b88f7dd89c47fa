import { createDatabase, sameDatabaseAt, type Database } from "@sightline/foundation/database/database";
import { createLog, type Logger } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { freePort } from "@sightline/foundation/testing/private-server";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { decodeEntry } from "#events/stream-entry.ts";
import { toRows } from "#ingest/event-rows.ts";
import { takeMarkIds, writeToShard } from "#ingest/writing/write-to-shard.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import type { OpenNode } from "#store/nodes/direct-nodes.ts";
import { openShard, ShardMovedError } from "#store/nodes/shard-query.ts";
import { findPlaces, findShardTables, type NodeAddress, type Place } from "#store/project-groups.ts";
import { insertProject } from "#store/projects.store.ts";
import { countOf, createConsumerRig, openNodeOf, tablesOf, type ConsumerRig } from "#testing/consumer-rig.ts";
import { readIngested } from "#testing/ingested.ts";
import { moveProject } from "#testing/move-project.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";

const PATIENCE = { timeout: 120_000, interval: 50 };
const random = randomOf(SEED);

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let projects: readonly string[];
let logged: string[];
let log: Logger;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

beforeEach(async () => {
  rig = await createConsumerRig(database);
  const made = new Map<string, number>();
  // Their ids spread them by chance, and each of the two nodes is to have some.
  while (made.size < 8 || new Set(made.values()).size < 2) {
    const id = uuidv7();
    await insertProject(database.query, { id, tenantId: "tenant-1", name: "direct" });
    made.set(id, (await placeOf(id)).node);
  }
  projects = [...made.keys()];
  logged = [];
  log = createLog({ name: "test", level: "info", destination: { write: (line) => void logged.push(line) } });
});
afterEach(() => rig.close());

test(
  `events are written on their nodes, and written again by the coordinator they change nothing (TEST_SEED=${SEED})`,
  PATIENCE,
  async () => {
    const sent = entriesOf({ poison: 0.05 });
    await publish(sent);
    const { consumer } = await rig.start({ log, tuning: { claimIdleMs: 200, claimEveryMs: 100 } });
    await everythingIsWritten(sent);
    expect(linesWith("directly")).toHaveLength(2);
    expect(linesWith("can't be written")).toEqual([]);
    const { rows } = await database.pool.query<{ highest: number }>(
      "select max(id) as highest from (select id from observability.trace_marks union all select id from observability.hourly_marks) as mark",
    );
    // Those of other nodes begin at two to the power of 48.
    expect(rows[0]?.highest).toBeGreaterThan(0);
    expect(rows[0]?.highest, "marks are numbered by the coordinator").toBeLessThan(2 ** 40);
    await consumer.stop();

    const before = await tablesOf(database);
    await publish(sent.filter(({ fate }) => fate === "row"));
    await rig.start({ openNode: await nowhere() });
    await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), PATIENCE);
    expect(await tablesOf(database)).toEqual(before);
  },
);

test.each([
  { why: "nobody listens", openNode: nowhere },
  { why: "the user is not let in", openNode: async () => openNodeOf(asNobody(database.url)) },
  { why: "another server answers", openNode: async () => () => openNodeOf(database.url)(addressOf(database.url)) },
])("where $why, the coordinator writes; one line says so for each node, and nothing secret", PATIENCE, async ({ openNode }) => {
  const sent = entriesOf({ poison: 0 });
  await publish(sent);
  await rig.start({ log, openNode: await openNode() });
  await everythingIsWritten(sent);
  const all = [...sent];
  // Of another server only several tries tell that it is not one that a shard has left.
  await vi.waitFor(async () => {
    const more = entriesOf({ poison: 0 });
    all.push(...more);
    await publish(more);
    await everythingIsWritten(all);
    expect(linesWith("can't be written to directly")).toHaveLength(2);
  }, PATIENCE);
  expect(logged.join("")).not.toContain("hunter2");
});

test(`shards are moved to and fro while events are written, each of them once (TEST_SEED=${SEED})`, PATIENCE, async () => {
  const sent: NumberedEntry[] = [];
  const replicas = [await rig.start({ log }), await rig.start({ log })];
  const moved = new AbortController();
  const writing = (async () => {
    while (!moved.signal.aborted) {
      const entries = entriesOf({ poison: 0 });
      sent.push(...entries);
      await publish(entries);
      await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBeLessThan(1_000), PATIENCE);
    }
  })();
  for (const id of [...projects.slice(0, 3), ...projects.slice(0, 3)]) {
    await moveProject(database, id);
  }
  moved.abort();
  await writing;
  await everythingIsWritten(sent);
  expect(linesWith("can't be written")).toEqual([]);
  expect(linesWith("directly").length).toBeGreaterThanOrEqual(2);
  await Promise.all(replicas.map(({ consumer }) => consumer.stop()));
});

test("a day that has no partitions yet is made by the coordinator, and costs no event", PATIENCE, async () => {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  await database.pool.query(`drop table observability.observations_${day}, observability.payloads_${day}`);
  const sent = entriesOf({ poison: 0 });
  await publish(sent);
  await rig.start({ log });
  await everythingIsWritten(sent);
  expect(linesWith("can't be written")).toEqual([]);
});

test("a shard that was moved since it was looked for is not written to where it was", PATIENCE, async () => {
  const [projectId = ""] = projects;
  const before = await placeOf(projectId);
  await moveProject(database, projectId);
  const node = nodeDatabase(before);
  try {
    await expect(writeAt(before, node, projectId)).rejects.toThrow(ShardMovedError);
    expect(await countOf(database, "payloads")).toBe(0);
  } finally {
    await node.close();
  }
  const after = await placeOf(projectId);
  expect(after.address).not.toEqual(before.address);
  const there = nodeDatabase(after);
  await writeAt(after, there, projectId);
  await there.close();
  expect(await countOf(database, "payloads")).toBeGreaterThan(0);
});

test("who moves a shard waits for its writers, and they for it", PATIENCE, async () => {
  const [projectId = ""] = projects;
  const place = await placeOf(projectId);
  const node = nodeDatabase(place);
  const mover = await node.pool.connect();
  await mover.query("begin");
  // As citus_move_shard_placement locks it on every node.
  await mover.query("select lock_shard_metadata(7, array[$1::bigint])", [place.shard]);
  let isWritten = false;
  const writing = writeAt(place, node, projectId).then(() => (isWritten = true));
  await vi.waitFor(async () => {
    const { rows } = await node.pool.query("select from pg_locks where not granted and locktype = 'advisory'");
    expect(rows).toHaveLength(1);
  }, PATIENCE);
  expect(isWritten).toBe(false);
  await mover.query("commit");
  mover.release();
  await writing;
  await node.close();
});

function entriesOf({ poison }: { readonly poison: number }): readonly NumberedEntry[] {
  return projects.flatMap((projectId) => createNumberedProducer({ projectId, homelessProjectId: uuidv7(), random, poison }).next(60));
}

async function publish(entries: readonly NumberedEntry[]): Promise<void> {
  const pipeline = rig.redis.client.pipeline();
  for (const { fields } of entries) {
    pipeline.xadd(rig.stream, "*", ...fields);
  }
  await pipeline.exec();
}

async function everythingIsWritten(sent: readonly NumberedEntry[]): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), PATIENCE);
  const { rows, halves, letters, lostEvents } = await readIngested(database);
  const ids = sent.filter(({ fate }) => fate === "row").map(({ id }) => id);
  expect(rows.toSorted(), "payloads").toEqual(ids.toSorted());
  expect(halves.toSorted(), "halves of traces and observations").toEqual(ids.toSorted());
  expect([...letters.values()].flat(), "dead letters").toHaveLength(sent.length - ids.length);
  expect(lostEvents).toBe(0);
}

function linesWith(text: string): readonly string[] {
  return logged.filter((line) => line.includes(text));
}

async function placeOf(projectId: string): Promise<Place> {
  const place = (await findPlaces(database.query, new Set([projectId]))).get(projectId);
  if (place === undefined) {
    throw new Error("The tables are distributed");
  }
  return place;
}

function nodeDatabase({ address }: Place): Database<ObservabilitySchema> {
  return createDatabase<ObservabilitySchema>({
    url: sameDatabaseAt(database.url, address),
    poolSize: 3,
    applicationName: "test",
    log: silentLog,
  });
}

async function writeAt({ shard }: Place, node: Database<ObservabilitySchema>, projectId: string): Promise<void> {
  const tables = await findShardTables(database.query, shard);
  const events = createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 })
    .next(6)
    .flatMap(({ fields }) => {
      const decoded = decodeEntry(fields);
      return decoded.ok ? [decoded.event] : [];
    });
  await writeToShard(
    {
      coordinator: database.query,
      shard: openShard({ pool: node.pool, shard, tables }),
      markIds: await takeMarkIds(database.query),
    },
    { ...toRows(events, []), deadLetters: [] },
  );
}

/** Where the coordinator is, which has no shards. */
function addressOf(url: string): NodeAddress {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

async function nowhere(): Promise<OpenNode> {
  const port = await freePort();
  return () => openNodeOf(database.url)({ host: "127.0.0.1", port });
}

function asNobody(url: string): string {
  const address = new URL(url);
  address.username = "nobody";
  address.password = "hunter2";
  return address.href;
}
