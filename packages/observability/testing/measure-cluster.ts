/**
 * `npm run bench:cluster`: the processor time that PostgreSQL takes on each node to write what a consumer reads at once, to count it, and to read the
 * pages of each project, on one PostgreSQL and on Citus with one, two and three workers, whose nodes take turns as the one that is connected to. All of
 * them share one machine, so rates say little and the time of each node is what counts: as much work as the busiest node has room for is what a
 * cluster does. All take turns, so that what else the machine does is in the figures of all.
 */
import { createDatabase, type Database } from "@sightline/foundation/database/database";
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
import { BATCHES_AT_ONCE } from "#ingest/tuning.ts";
import { createCounting } from "#housekeeping/counting.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { listEntries } from "#query/list/list-traces.store.ts";
import { findRun } from "#query/steps/find-run.store.ts";
import { findSkeleton } from "#query/steps/steps.store.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { distributeObservability } from "#store/distribute.ts";
import { insertProject } from "#store/projects.store.ts";
import { createNumberedProducer, type NumberedProducer } from "./numbered-events.ts";
import { forgetCounted } from "./read-counted.ts";

const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 24_000);
const ROUNDS = 4;
const PROJECTS = Number(process.env["BENCH_PROJECTS"] ?? 24);
/** Entries that a consumer reads at once. */
const AT_ONCE = Number(process.env["BENCH_BATCH"] ?? 100) * BATCHES_AT_ONCE;
const WORKERS = (process.env["BENCH_WORKERS"] ?? "0 1 2 3").split(" ").map(Number);
/** By each of one, two or three workers as often. */
const COUNTS = 6;
const READS = 6;
/** The kernel counts processor time in hundredths of a second. */
const MICROSECONDS_A_TICK = 10_000;
const reader = { kind: "operator" } as const;

const clusters = await Promise.all(WORKERS.map(startCluster));
const works = clusters.map(writingOf);
const unstopped = new AbortController().signal;
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const work of works) {
    // The first round only warms up.
    await measure(work, round === 0 ? EVENTS / 10 : EVENTS / ROUNDS, round > 0);
  }
}
const countings = clusters.map(countingOf);
for (let round = 0; round < COUNTS; round += 1) {
  for (const counting of countings) {
    await forgetCounted(counting.cluster.database);
    await analyzeAll(counting.cluster.database);
    await measure(counting, 1, true);
  }
}
const readings = clusters.map(readingOf);
for (let round = 0; round <= READS; round += 1) {
  for (const reading of readings) {
    await measure(reading, PROJECTS, round > 0);
  }
}
console.table([...works, ...countings].map((work) => figuresOf(work, 1, "µs an event")));
console.table(readings.map((work) => figuresOf(work, 1000, "ms a page")));
await Promise.all(clusters.map((cluster) => cluster.close()));

type Cluster = {
  readonly workers: number;
  readonly database: Database<ObservabilitySchema>;
  readonly producers: readonly NumberedProducer[];
  readonly postmasters: readonly number[];
  /** The database on the worker whose turn it is to be connected to. */
  readonly next: () => Database<ObservabilitySchema>;
  readonly close: () => Promise<void>;
};

type Work = {
  readonly name: string;
  readonly cluster: Cluster;
  /** @returns how much of it was done. */
  readonly run: () => Promise<number>;
  /** Microseconds of each node. */
  readonly times: number[];
  done: number;
};

async function startCluster(workers: number): Promise<Cluster> {
  const nodes = await startNodes(workers);
  const [{ url: first } = { url: "" }, ...others] = nodes;
  const url = workers === 0 ? first : addressOf(first, "bench");
  if (workers > 0) {
    await createClusterDatabase({ coordinator: first, workers: others.map((node) => node.url) }, "bench");
  }
  const open = (at: string) => createDatabase<ObservabilitySchema>({ url: at, poolSize: 1, applicationName: "bench", log: silentLog });
  const database = open(url);
  await migrateUp(database.pool, observabilityMigrations);
  if (workers > 0) {
    await distributeObservability(database.pool);
  }
  const opened = workers === 0 ? [database] : others.map((node) => open(addressOf(node.url, "bench")));
  let turn = 0;
  return {
    workers,
    database,
    producers: await addProducers(database.query),
    postmasters: nodes.map((node) => postmasterOf(node.url)),
    next: () => opened[(turn += 1) % opened.length] ?? database,
    close: async () => {
      await Promise.all([...new Set([database, ...opened])].map((node) => node.close()));
      await Promise.all(nodes.map((node) => node.remove()));
    },
  };
}

function writingOf(cluster: Cluster): Work {
  return { name: "write", cluster, run: () => write(cluster, Math.ceil(AT_ONCE / PROJECTS)), times: [], done: 0 };
}

/** Counting all that is marked, as housekeeping does all the time. */
function countingOf(cluster: Cluster): Work {
  const run = async () => {
    const { countHours, countTraces } = createCounting({ query: cluster.next().query, log: silentLog });
    while ((await countHours(unstopped)) !== false);
    while ((await countTraces(unstopped)) !== false);
    const { rows } = await cluster.database.pool.query<{ count: number }>("select count(*) from observability.payloads");
    return rows[0]?.count ?? 0;
  };
  return { name: "count", cluster, run, times: [], done: 0 };
}

/** As autovacuum does, within a minute. */
async function analyzeAll({ pool }: Cluster["database"]): Promise<void> {
  for (const table of ["traces", "observations", "payloads", "trace_marks", "hourly_marks"]) {
    await pool.query(`analyze observability.${table}`);
  }
}

function readingOf(cluster: Cluster): Work {
  const run = async () => {
    await readAll(cluster.next().query, cluster.producers);
    return PROJECTS;
  };
  return { name: "read", cluster, run, times: [], done: 0 };
}

async function measure(work: Work, least: number, isCounted: boolean): Promise<void> {
  const { postmasters } = work.cluster;
  const before = postmasters.map(cpuOf);
  let done = 0;
  while (done < least) {
    done += await work.run();
  }
  if (isCounted) {
    work.done += done;
    postmasters.forEach((pid, index) => (work.times[index] = (work.times[index] ?? 0) + cpuOf(pid) - (before[index] ?? 0)));
  }
}

function figuresOf({ name, cluster, times, done }: Work, divisor: number, unit: string) {
  const [first = 0, ...others] = times.map((time) => (time / done / divisor).toFixed(1));
  return { workers: cluster.workers, work: name, [`coordinator, ${unit}`]: first, [`workers, ${unit}`]: others.join(" ") };
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

/** @returns how many events it wrote. */
async function write({ producers, next }: Cluster, ofProject: number): Promise<number> {
  const events = producers.flatMap((producer) =>
    producer.next(ofProject).flatMap(({ fields }) => {
      const decoded = decodeEntry(fields);
      return decoded.ok ? [decoded.event] : [];
    }),
  );
  await writeBatch(next().query, { ...toRows(events, []), deadLetters: [] });
  return events.length;
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
