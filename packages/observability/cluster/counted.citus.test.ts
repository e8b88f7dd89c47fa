import { systemClock } from "@sightline/foundation/clock";
import { createLog, type Logger } from "@sightline/foundation/log";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { Kysely, PostgresDialect } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { decodeEntry } from "#events/stream-entry.ts";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createCounting } from "#housekeeping/counting.ts";
import { toRows } from "#ingest/event-rows.ts";
import { createWritingByNode } from "#ingest/writing/write-by-node.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { createDirectNodes, type DirectNodes, type OpenNode } from "#store/nodes/direct-nodes.ts";
import { ShardMovedError } from "#store/nodes/shard-query.ts";
import { findPlaces, type Place } from "#store/project-groups.ts";
import { insertProject } from "#store/projects.store.ts";
import { sqlStateOf } from "#store/refused-data.ts";
import { countMarkedTraces, findUncounted, lockCounting } from "#store/trace-entries.store.ts";
import { clearTables, openNodeOf } from "#testing/consumer-rig.ts";
import { moveProject } from "#testing/move-project.ts";
import { createNumberedProducer } from "#testing/numbered-events.ts";
import { countedAnew, readCounted } from "#testing/read-counted.ts";

const PATIENCE = { timeout: 120_000, interval: 50 };
const random = randomOf(SEED);
const { signal } = new AbortController();

let database: TestDatabase<ObservabilitySchema>;
let projects: readonly string[];
let logged: string[];
let log: Logger;
let opened: DirectNodes[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

beforeEach(async () => {
  await clearTables(database);
  projects = Array.from({ length: 8 }, () => uuidv7());
  for (const id of projects) {
    await insertProject(database.query, { id, tenantId: "tenant-1", name: "counted" });
  }
  opened = [];
  logged = [];
  log = createLog({ name: "test", level: "info", destination: { write: (line) => void logged.push(line) } });
});
afterEach(() => Promise.all(opened.map((nodes) => nodes.close())));

test(`what was written is counted on its nodes, and the coordinator is asked for no row of it (TEST_SEED=${SEED})`, PATIENCE, async () => {
  const asked: string[] = [];
  const watched = new Kysely<ObservabilitySchema>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void asked.push(query.sql),
  });
  await write();
  const directNodes = open();
  const counting = createCounting({ query: watched, log: silentLog, directNodes });
  await counting.countHours(signal);
  expect(await counting.countTraces(signal)).toBeUndefined();
  expect(await marks()).toBe(0);
  expect(directNodes.count()).toBe(2);
  expect(await counting.countHours(signal)).toBe(false);
  expect(await counting.countTraces(signal)).toBe(false);
  expect(asked.filter((text) => /\b(?:from|join|into|update) observability\./.test(text))).toEqual([]);
  await everythingIsCounted();
  // Again, where there are entries and figures before.
  await write();
  await count(directNodes);
  await everythingIsCounted();
});

test("runs that belong to a trace no longer are counted next, on their node", PATIENCE, async () => {
  const [projectId = ""] = projects;
  await write();
  const directNodes = open();
  await count(directNodes);
  const { rows } = await database.pool.query<{ id: string }>("select id from observability.traces where project_id = $1 limit 2", [
    projectId,
  ]);
  const [kept, parted] = rows.map(({ id }) => id);
  await database.pool.query("update observability.trace_entries set runs = array[$2, $3]::uuid[] where project_id = $1 and trace_id = $2", [
    projectId,
    kept,
    parted,
  ]);
  await database.pool.query("insert into observability.trace_marks (project_id, trace_id) values ($1, $2)", [projectId, kept]);
  const shard = await shardAt(directNodes, await placeOf(projectId));
  const { lastMark } = await findUncounted(shard, projectId);
  expect(await countMarkedTraces(shard, projectId, { lastMark: lastMark ?? "" })).toBe(true);
  expect(await countMarkedTraces(shard, projectId, { lastMark: lastMark ?? "" })).toBe(false);
  expect(await marks()).toBe(0);
  await everythingIsCounted();
});

test("hours are packed on their nodes as the coordinator packs them", PATIENCE, async () => {
  await write();
  const directNodes = open();
  await count(directNodes);
  await letHoursBeOver();
  expect(await createCounting({ query: database.query, log: silentLog, directNodes }).packHours(signal)).toBe(false);
  const packed = await packedHours();
  expect(new Set(packed.map((row) => row.project_id)).size).toBe(projects.length);
  await letHoursBeOver();
  await createCounting({ query: database.query, log: silentLog, directNodes: undefined }).packHours(signal);
  expect(await packedHours()).toEqual(packed);
});

test.each([
  { why: "nobody listens", openNode: () => openNodeOf(database.url)({ host: "127.0.0.1", port: 1 }) },
  { why: "another server answers", openNode: () => openNodeOf(database.url)(addressOf(database.url)) },
])("where $why, it is counted through the coordinator", PATIENCE, async ({ openNode }) => {
  await write();
  await count(open(openNode));
  expect(await marks()).toBe(0);
  await everythingIsCounted();
});

test(`shards are moved to and fro while events are written and counted, each once (TEST_SEED=${SEED})`, PATIENCE, async () => {
  const moved = new AbortController();
  const [writer, ...counters] = [open(), open(), open()];
  const working = [
    (async () => {
      while (!moved.signal.aborted) {
        await unlessDropped(() => write(writer));
      }
    })(),
    ...counters.map(async (directNodes) => {
      const counting = createCounting({ query: database.query, log: silentLog, directNodes });
      while (!moved.signal.aborted) {
        await unlessDropped(() => counting.countHours(signal));
        await unlessDropped(() => counting.countTraces(signal));
      }
    }),
  ];
  for (const id of [...projects.slice(0, 2), ...projects.slice(0, 2)]) {
    await moveProject(database, id);
  }
  moved.abort();
  await Promise.all(working);
  await count(open());
  expect(logged.filter((line) => line.includes("can't be written"))).toEqual([]);
  await everythingIsCounted();
});

test("a shard that was moved is not counted where it was, and keeps its marks", PATIENCE, async () => {
  const [projectId = ""] = projects;
  await write();
  const before = await marks();
  const directNodes = open();
  const place = await placeOf(projectId);
  await moveProject(database, projectId);
  let error: unknown;
  const done = await directNodes.at(place, async ({ query }) => {
    await countMarkedTraces(query, projectId).catch((reason: unknown) => {
      error = reason;
      throw reason;
    });
  });
  expect(done).toBeUndefined();
  expect(error).toBeInstanceOf(ShardMovedError);
  expect(await marks()).toBe(before);
  await count(directNodes);
  await everythingIsCounted();
});

test.each([
  { who: "two on the node", second: (query: Query) => query },
  { who: "one on the node and one through the coordinator", second: () => database.query },
])("$who who count the same project wait for each other, and count each mark once", PATIENCE, async ({ second }) => {
  const [projectId = ""] = projects;
  await write();
  const place = await placeOf(projectId);
  const [holder, first, other] = [open(), open(), open()];
  const [holding, one, two] = [await shardAt(holder, place), await shardAt(first, place), second(await shardAt(other, place))];
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const locked = holding.transaction().execute(async (transaction) => {
    await lockCounting(transaction, projectId);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const counted: string[] = [];
  const countings = [one, two].map(async (query, index) => {
    while (await countMarkedTraces(query, projectId));
    counted.push(`counter ${index}`);
  });
  await vi.waitFor(async () => expect(await waitingAt(place)).toBe(2), PATIENCE);
  expect(counted).toEqual([]);
  release.resolve();
  await Promise.all([locked, ...countings]);
  expect(counted).toHaveLength(2);
  await count(first);
  await everythingIsCounted();
});

/** What the coordinator has planned for a shard that is dropped meanwhile fails; consumers and housekeeping try again. */
async function unlessDropped(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (sqlStateOf(error) !== "42P01") {
      throw error;
    }
  }
}

/** As consumers do, by default on the nodes. */
async function write(directNodes = open()): Promise<void> {
  const writing = createWritingByNode({ query: database.query, clock: systemClock, log, directNodes });
  const events = projects.flatMap((projectId) =>
    createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 })
      .next(60)
      .flatMap(({ fields }) => {
        const decoded = decodeEntry(fields);
        return decoded.ok ? [decoded.event] : [];
      }),
  );
  await writing({
    items: events,
    projectOf: (event) => event.project_id,
    isReadable: () => true,
    write: (own, put) => put({ ...toRows(own, []), deadLetters: [] }),
  });
}

function open(openNode: OpenNode = openNodeOf(database.url)): DirectNodes {
  const nodes = createDirectNodes({ query: database.query, openNode, clock: systemClock, log });
  opened.push(nodes);
  return nodes;
}

async function count(directNodes: DirectNodes): Promise<void> {
  const counting = createCounting({ query: database.query, log: silentLog, directNodes });
  while ((await counting.countHours(signal)) !== false);
  while ((await counting.countTraces(signal)) !== false);
}

/** Figures, entries and groups are what they are when all of them are made anew, by the coordinator. */
async function everythingIsCounted(): Promise<void> {
  const counted = await readCounted(database);
  expect(counted).toEqual(await countedAnew(database));
}

async function marks(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select (select count(*) from observability.trace_marks) + (select count(*) from observability.hourly_marks) as count",
  );
  return rows[0]?.count ?? -1;
}

/** As if all traces were of one hour, which was over and had changed long ago. */
async function letHoursBeOver(): Promise<void> {
  const hour = "2026-01-02T03:00:00Z";
  await database.pool.query("update observability.trace_entries set sort_at = $1", [hour]);
  await database.pool.query("delete from observability.trace_hours");
  for (const id of projects) {
    await database.pool.query("insert into observability.trace_hours (project_id, hour, changed_at) values ($1, $2, $2)", [id, hour]);
  }
}

async function packedHours() {
  const { rows } = await database.pool.query<{ project_id: string }>(
    "select * from observability.trace_hour_fields order by project_id, hour, field",
  );
  return rows;
}

async function placeOf(projectId: string): Promise<Place> {
  const place = (await findPlaces(database.query, new Set([projectId]))).get(projectId);
  if (place === undefined) {
    throw new Error("The tables are distributed");
  }
  return place;
}

async function shardAt(directNodes: DirectNodes, place: Place): Promise<Query> {
  const found = await directNodes.at(place, async ({ query }) => query);
  if (found === undefined) {
    throw new Error("The node is open");
  }
  return found.result;
}

async function waitingAt({ address }: Place): Promise<number> {
  const node = openNodeOf(database.url)(address);
  const { rows } = await node.pool.query("select from pg_locks where not granted and locktype = 'advisory'");
  await node.close();
  return rows.length;
}

/** Where the coordinator is, which has no shards. */
function addressOf(url: string) {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
