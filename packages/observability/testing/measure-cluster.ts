/**
 * `npm run bench:cluster`: the processor time that PostgreSQL takes on each node to write a batch of several projects and to read the
 * pages of each, on one PostgreSQL and on Citus with one, two and three workers. All of them share one machine, so rates say little and the time of
 * each node is what counts: as much work as the busiest node has room for is what a cluster does.
 */
import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createKillablePostgres, createKillablePostgresOf } from "@sightline/foundation/testing/killable-server";
import { addressOf } from "@sightline/foundation/testing/on-server";
import { CITUS_SETTINGS, createClusterDatabase, findCitusServer } from "@sightline/foundation/testing/private-citus";
import { randomOf } from "@sightline/foundation/testing/random";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { readdirSync, readFileSync } from "node:fs";
import { v7 as uuidv7 } from "uuid";
import { decodeEntry } from "#events/stream-entry.ts";
import { toRows } from "#ingest/event-rows.ts";
import { writeBatch } from "#ingest/write-batch.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { listEntries } from "#query/list/list-traces.store.ts";
import { bringUpToDate } from "#query/list/up-to-date.ts";
import { findRun } from "#query/steps/find-run.store.ts";
import { findSkeleton } from "#query/steps/steps.store.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { distributeObservability } from "#store/distribute.ts";
import { findNodes } from "#store/project-groups.ts";
import { insertProject } from "#store/projects.store.ts";
import { createNumberedProducer, type NumberedProducer } from "./numbered-events.ts";

const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 24_000);
const PROJECTS = 24;
/** In a batch, which on Citus is one for each node. */
const EVENTS_OF_A_PROJECT = 100;
const READS = 3;
/** The kernel counts processor time in hundredths of a second. */
const MICROSECONDS_A_TICK = 10_000;
const reader = { kind: "operator" } as const;

const rows: object[] = [];
for (const workers of [0, 1, 2, 3]) {
  rows.push(await measure(workers));
  console.table(rows);
}

async function measure(workers: number): Promise<object> {
  const nodes = await startNodes(workers);
  const [{ url: first } = { url: "" }, ...others] = nodes;
  const url = workers === 0 ? first : addressOf(first, "bench");
  if (workers > 0) {
    await createClusterDatabase({ coordinator: first, workers: others.map((node) => node.url) }, "bench");
  }
  const database = createDatabase<ObservabilitySchema>({ url, poolSize: 1, applicationName: "bench", log: silentLog });
  await migrateUp(database.pool, observabilityMigrations);
  if (workers > 0) {
    await distributeObservability(database.pool);
  }
  const producers = await addProducers(database.query);
  const groups = await byNode(database.query, producers);
  const postmasters = nodes.map((node) => postmasterOf(node.url));
  const write = async (events: number) => {
    for (let written = 0; written < events;) {
      for (const group of groups) {
        written += await writeFor(database.query, group);
      }
    }
  };
  const timesOf = async (work: () => Promise<void>, count: number) => {
    const before = postmasters.map(cpuOf);
    await work();
    return postmasters.map((pid, index) => Math.round((cpuOf(pid) - (before[index] ?? 0)) / count));
  };
  await write(EVENTS / 10);
  const writing = await timesOf(() => write(EVENTS), EVENTS);
  await countAll(database.query, producers);
  await readAll(database.query, producers);
  const reading = await timesOf(async () => {
    for (let read = 0; read < READS; read += 1) {
      await readAll(database.query, producers);
    }
  }, READS * PROJECTS);
  await database.close();
  await Promise.all(nodes.map((node) => node.remove()));
  const [coordinatorWrites = 0, ...workersWrite] = writing;
  const [coordinatorReads = 0, ...workersRead] = reading;
  return {
    workers,
    "write, coordinator µs an event": coordinatorWrites,
    "workers µs an event": workersWrite.join(" "),
    "read, coordinator ms a project": (coordinatorReads / 1000).toFixed(1),
    "workers ms a project": workersRead.map((time) => (time / 1000).toFixed(1)).join(" "),
  };
}

async function startNodes(workers: number) {
  const starting = Array.from({ length: workers + 1 }, async () =>
    workers === 0 ? createKillablePostgres("postgres") : createKillablePostgresOf(await findCitusServer(), CITUS_SETTINGS),
  );
  const nodes = await Promise.all(starting);
  await Promise.all(nodes.map((node) => node.start()));
  return nodes;
}

async function addProducers(query: Query): Promise<readonly NumberedProducer[]> {
  const random = randomOf(1);
  const producers: NumberedProducer[] = [];
  for (let added = 0; added < PROJECTS; added += 1) {
    const projectId = uuidv7();
    await insertProject(query, { id: projectId, tenantId: "tenant-1", name: "bench" });
    producers.push(createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 }));
  }
  return producers;
}

/** As the consumer divides a batch. */
async function byNode(query: Query, producers: readonly NumberedProducer[]) {
  const nodes = await findNodes(query, new Set(producers.map(({ projectId }) => projectId)));
  return [...Map.groupBy(producers, ({ projectId }) => nodes.get(projectId)).values()];
}

async function writeFor(query: Parameters<typeof writeBatch>[0], producers: readonly NumberedProducer[]): Promise<number> {
  const events = producers.flatMap((producer) =>
    producer.next(EVENTS_OF_A_PROJECT).flatMap(({ fields }) => {
      const decoded = decodeEntry(fields);
      return decoded.ok ? [decoded.event] : [];
    }),
  );
  await writeBatch(query, { ...toRows(events, []), deadLetters: [] });
  return events.length;
}

/** As housekeeping does all the time. */
async function countAll(query: Query, producers: readonly NumberedProducer[]): Promise<void> {
  for (const { projectId } of producers) {
    while (!(await bringUpToDate(query, projectId)).isCounted);
  }
}

/** The newest traces of each project, and the steps of the first. */
async function readAll(query: Query, producers: readonly NumberedProducer[]): Promise<void> {
  for (const { projectId } of producers) {
    const asked = { projectId, reader, now: new Date(), order: "desc", after: undefined, limit: 50, terms: [], sort: "started" } as const;
    const [newest] = (await listEntries(query, asked)).rows;
    const run = newest === undefined ? undefined : await findRun(query, { reader, projectId, traceId: newest.id });
    if (run !== undefined) {
      await findSkeleton(query, run);
    }
  }
}

function postmasterOf(url: string): number {
  const { port } = new URL(url);
  const found = processes().find((pid) => {
    const [program = "", ...words] = wordsOf(pid);
    return program.endsWith("/postgres") && words.includes(port);
  });
  if (found === undefined) {
    throw new Error(`There is no PostgreSQL at port ${port}.`);
  }
  return found;
}

/** Microseconds of a server and all its processes, those that have ended included. */
function cpuOf(postmaster: number): number {
  const ticks = processes().map((pid) => {
    const fields = statOf(pid);
    const [own, ended] = [Number(fields[11]) + Number(fields[12]), Number(fields[13]) + Number(fields[14])];
    return pid === postmaster ? own + ended : Number(fields[1]) === postmaster ? own : 0;
  });
  return ticks.reduce((sum, count) => sum + count, 0) * MICROSECONDS_A_TICK;
}

function processes(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Empty of one that has ended meanwhile. */
function statOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
}

function wordsOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/cmdline`).split("\0");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
