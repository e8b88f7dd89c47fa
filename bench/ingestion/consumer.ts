import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";
import { startRedisSink, whenConsumed } from "./sinks.ts";

export type IngestionRow = {
  readonly store: string;
  /** By the producer; a `backlog` waits on the stream before the consumer starts. */
  readonly offered: string;
  readonly events: number;
  /** By the SDK, which had no time or room to publish them. */
  readonly dropped: number;
  readonly lost: number;
  /** From the first to the last event that became visible. */
  readonly perSecond: number;
  /** Undefined of a backlog. */
  readonly visibleP50Ms: number | undefined;
  readonly visibleP95Ms: number | undefined;
  /** Of the first seconds, in which the consumer has just started. */
  readonly startP95Ms: number | undefined;
  readonly rowsPerEvent: number;
  readonly bytesPerEvent: number;
};

type Poll = readonly [at: number, rows: readonly [{ readonly count: string }]];
type Produced = { readonly events: number; readonly marks: readonly number[]; readonly metrics: string };
type Store = { readonly name: string; readonly url: string; readonly environment: NodeJS.ProcessEnv; readonly remove: () => Promise<void> };
type Load = { readonly offered: string; readonly perSecond: number; readonly seconds: number; readonly isBacklog: boolean };

const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const POLL_SQL = "packages/foundation/testing/poll-sql.ts";
const PRODUCER = "packages/sdk/testing/bench-library.ts";
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 20);
const PATIENCE_MS = 300_000;
/** Nothing more comes when nothing came for so long. */
const QUIET_MS = 20_000;
/** Between two looks for marks: what a figure of visibility is exact to. */
const MARKS_MS = 20;
const EVENTS_MS = 250;
/** The stream keeps 100,000. */
const MAX_BACKLOG = 80_000;

/** Of the first five seconds. */
const START_MARKS = 50;
const RATES = (process.env["BENCH_RATES"] ?? "1000,2000,5000").split(",").map(Number);

const LOADS: readonly Load[] = [
  ...RATES.map((perSecond) => ({ offered: `${perSecond}/s`, perSecond, seconds: SECONDS, isBacklog: false })),
  { offered: "backlog", perSecond: 5_000, seconds: Math.min(SECONDS, MAX_BACKLOG / 5_000), isBacklog: true },
];

/** The consumer as it is started for real, fed by the SDK, on a new database of the PostgreSQL at `postgresUrl`, or on the embedded one. */
export async function* measureConsumer(postgresUrl: string | undefined): AsyncGenerator<IngestionRow> {
  for (const load of LOADS) {
    yield await measureLoad(postgresUrl, load);
  }
}

async function measureLoad(postgresUrl: string | undefined, load: Load): Promise<IngestionRow> {
  const redis = await startRedisSink();
  const store = await createStore(postgresUrl);
  let stopProduct = startProduct(store, redis.url);
  const polls: Poller[] = [];
  try {
    const project = randomUUID();
    await whenReady(store.url, `insert into observability.projects (id, tenant_id, name) values ('${project}', 'bench', 'bench')`);
    const sizeBefore = await sizeOf(store.url);
    const produce = async () => {
      const sink = `${redis.url}?stream=observability:events&project=${project}`;
      const words = [join(repository, PRODUCER), sink, String(load.perSecond), String(load.seconds)];
      return JSON.parse(await runScript("bench/ingestion/producer.ts", ...words)) as Produced;
    };
    let produced: Produced | undefined;
    if (load.isBacklog) {
      await stopProduct();
      produced = await produce();
      stopProduct = startProduct(store, redis.url);
      await whenReady(store.url, "select from observability.projects");
    } else {
      await whenConsumed(redis.url);
    }
    const ofProject = `where project_id = '${project}'`;
    const marks = load.isBacklog
      ? undefined
      : pollCount(store.url, `count(*) as count from observability.traces ${ofProject} and name = 'mark'`, MARKS_MS);
    const events = pollCount(
      store.url,
      `count(start_event) + count(end_event) as count from observability.observations ${ofProject}`,
      EVENTS_MS,
    );
    polls.push(events, ...(marks === undefined ? [] : [marks]));
    produced ??= await produce();
    const dropped = droppedIn(produced.metrics);
    await events.until(produced.events - dropped);
    await marks?.until(produced.marks.length - dropped);
    const [seen, marked] = [events.stop(), marks?.stop() ?? []];
    const visible = countOf(seen.at(-1));
    const waits = produced.marks.map((at, index) => (marked.find((poll) => countOf(poll) > index)?.[0] ?? Infinity) - at);
    const sorted = waits.toSorted((one, other) => one - other);
    const ofStart = waits.slice(0, START_MARKS).toSorted((one, other) => one - other);
    const [first, last] = [seen.find((poll) => countOf(poll) > 0), seen.at(-1)];
    const size = await sizeOf(store.url);
    return {
      store: store.name,
      offered: load.offered,
      events: produced.events,
      dropped,
      lost: Math.max(produced.events - dropped - visible, 0),
      perSecond: first === undefined || last === undefined ? 0 : ((visible - countOf(first)) / (last[0] - first[0])) * 1000,
      visibleP50Ms: load.isBacklog ? undefined : sorted[Math.floor(sorted.length * 0.5)],
      visibleP95Ms: load.isBacklog ? undefined : sorted[Math.floor(sorted.length * 0.95)],
      startP95Ms: load.isBacklog ? undefined : ofStart[Math.floor(ofStart.length * 0.95)],
      rowsPerEvent: (size.rows - sizeBefore.rows) / visible,
      bytesPerEvent: (size.bytes - sizeBefore.bytes) / visible,
    };
  } finally {
    polls.forEach((poll) => poll.stop());
    await stopProduct();
    await redis.stop();
    await store.remove();
  }
}

async function createStore(postgresUrl: string | undefined): Promise<Store> {
  const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
  const port = String(await freePort());
  const environment = { SIGHTLINE_HOME: home, SIGHTLINE_POSTGRES_PORT: port };
  const removeHome = () => rm(home, { recursive: true, force: true });
  if (postgresUrl === undefined) {
    return { name: "embedded", url: `postgres://postgres@127.0.0.1:${port}/postgres`, environment, remove: removeHome };
  }
  const name = `bench_${randomBytes(8).toString("hex")}`;
  const url = withDatabase(postgresUrl, name);
  await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  return {
    name: "PostgreSQL",
    url,
    environment: { ...environment, DATABASE_URL: url },
    remove: async () => {
      await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
      await removeHome();
    },
  };
}

/** @returns what stops it. */
function startProduct(store: Store, redisUrl: string): () => Promise<void> {
  const environment = {
    PATH: process.env["PATH"],
    ...store.environment,
    OBSERVABILITY_REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
    SECRET_KEY: randomBytes(32).toString("base64url"),
    ENVIRONMENT: "development",
    LOG_LEVEL: "WARNING",
  };
  const product = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "consumer"], {
    cwd: repository,
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(product, "exit");
  return async () => {
    product.kill("SIGTERM");
    await ended;
  };
}

/** What the SDK says of itself, for any reason. */
function droppedIn(metrics: string): number {
  return [...metrics.matchAll(/^studio_events_dropped_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Runs a statement as soon as the tables are there. */
async function whenReady(databaseUrl: string, statement: string): Promise<void> {
  for (const startedAt = Date.now(); ; await pause(500)) {
    try {
      await runScript(RUN_SQL, databaseUrl, statement);
      return;
    } catch (error) {
      if (Date.now() - startedAt > PATIENCE_MS) {
        throw error;
      }
    }
  }
}

async function sizeOf(databaseUrl: string): Promise<{ readonly rows: number; readonly bytes: number }> {
  const tables = `select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'observability' and c.relkind = 'r'`;
  const rows = ["traces", "observations", "payloads"].map((table) => `(select count(*) from observability.${table})`).join(" + ");
  const printed = await runScript(
    RUN_SQL,
    databaseUrl,
    `select (select sum(pg_total_relation_size(oid)) from (${tables}) t)::text as bytes, (${rows})::text as rows`,
  );
  const [size] = JSON.parse(printed) as readonly { readonly bytes: string; readonly rows: string }[];
  return { rows: Number(size?.rows), bytes: Number(size?.bytes) };
}

/** Each poll is a little load of its own: the events are many, and counted seldom. */
function pollCount(databaseUrl: string, selected: string, everyMs: number) {
  const child = spawn(process.execPath, [POLL_SQL, databaseUrl, `select ${selected}`, String(everyMs)], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const polls: Poll[] = [];
  let heardAt = Date.now();
  createInterface({ input: child.stdout }).on("line", (line) => {
    polls.push(JSON.parse(line) as Poll);
    heardAt = Date.now();
  });
  return {
    until: async (enough: number) => {
      for (heardAt = Date.now(); Date.now() - heardAt < QUIET_MS && countOf(polls.at(-1)) < enough; await pause(100));
    },
    stop: () => {
      child.kill();
      return polls;
    },
  };
}

type Poller = ReturnType<typeof pollCount>;

function countOf(poll: Poll | undefined): number {
  return Number(poll?.[1][0].count ?? 0);
}
