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
import { startRedisSink } from "./sinks.ts";

export type IngestionRow = {
  readonly store: string;
  /** Offered by the producer; `backlog` is as fast as it could. */
  readonly offered: string;
  readonly events: number;
  readonly lost: number;
  /** From the first to the last event that became visible. */
  readonly perSecond: number;
  readonly visibleP50Ms: number;
  readonly visibleP95Ms: number;
  readonly rowsPerEvent: number;
  readonly bytesPerEvent: number;
};

type Poll = readonly [at: number, rows: readonly [{ readonly calls: string; readonly marks: string }]];
type Produced = { readonly calls: number; readonly events: number; readonly marks: readonly number[]; readonly startedAt: number };

const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const POLL_SQL = "packages/foundation/testing/poll-sql.ts";
const PRODUCER = "packages/sdk/src/test-bench-library.ts";
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 20);
const PATIENCE_MS = 300_000;
const RATES = [1000, 5000, 50_000];

/** The consumer as it is started for real, fed by the SDK, on a new database of the PostgreSQL at `postgresUrl`, or on the embedded one. */
export async function* measureConsumer(postgresUrl: string | undefined): AsyncGenerator<IngestionRow> {
  for (const rate of RATES) {
    // The last offers more than anyone can take, for a few seconds: what then counts is how fast the backlog goes.
    const isBacklog = rate === RATES.at(-1);
    yield await measureRate(postgresUrl, rate, isBacklog ? 3 : SECONDS, isBacklog ? "backlog" : `${rate}/s`);
  }
}

async function measureRate(postgresUrl: string | undefined, rate: number, seconds: number, offered: string): Promise<IngestionRow> {
  const redis = await startRedisSink();
  const [home, port, name] = [
    await mkdtemp(join(tmpdir(), "sightline-bench-")),
    await freePort(),
    `bench_${randomBytes(8).toString("hex")}`,
  ];
  const databaseUrl = postgresUrl === undefined ? `postgres://postgres@127.0.0.1:${port}/postgres` : withDatabase(postgresUrl, name);
  if (postgresUrl !== undefined) {
    await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  }
  const environment = {
    PATH: process.env["PATH"],
    ...(postgresUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    OBSERVABILITY_REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64url")}`,
    SECRET_KEY: randomBytes(32).toString("base64url"),
    ENVIRONMENT: "development",
    LOG_LEVEL: "WARNING",
    SIGHTLINE_HOME: home,
    SIGHTLINE_POSTGRES_PORT: String(port),
  };
  const product = spawn(process.execPath, ["apps/platform/sightline.ts", "start", "consumer"], {
    cwd: repository,
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const project = await addProject(databaseUrl);
    const sizeBefore = await sizeOf(databaseUrl);
    const polls = pollCounts(databaseUrl, project);
    const sink = `${redis.url}?stream=observability:events&project=${project}`;
    const words = [join(repository, PRODUCER), sink, String(rate), String(seconds)];
    const produced = JSON.parse(await runScript("bench/ingestion/producer.ts", ...words)) as Produced;
    await polls.until(({ calls, marks }) => Number(calls) >= produced.calls && Number(marks) >= produced.marks.length);
    const seen = polls.stop();
    const visible = Number(seen.at(-1)?.[1][0].calls ?? 0);
    const waits = produced.marks.map((at, index) => (seen.find(([, [{ marks }]]) => Number(marks) > index)?.[0] ?? Infinity) - at);
    const sorted = waits.toSorted((one, other) => one - other);
    const first = seen.find(([, [{ calls }]]) => Number(calls) > 0);
    const last = seen.at(-1);
    const events = visible * 2;
    const size = await sizeOf(databaseUrl);
    return {
      store: postgresUrl === undefined ? "embedded" : "PostgreSQL",
      offered,
      events: produced.events,
      lost: produced.events - events,
      perSecond: first === undefined || last === undefined ? 0 : (events / (last[0] - first[0])) * 1000,
      visibleP50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
      visibleP95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
      rowsPerEvent: (size.rows - sizeBefore.rows) / events,
      bytesPerEvent: (size.bytes - sizeBefore.bytes) / events,
    };
  } finally {
    const ended = once(product, "exit");
    product.kill("SIGTERM");
    await ended;
    await redis.stop();
    if (postgresUrl !== undefined) {
      await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
    }
    await rm(home, { recursive: true, force: true });
  }
}

/** Waits until the tables are there. */
async function addProject(databaseUrl: string): Promise<string> {
  const id = randomUUID();
  const statement = `insert into observability.projects (id, tenant_id, name) values ('${id}', 'bench', 'bench')`;
  for (const startedAt = Date.now(); ; await pause(200)) {
    try {
      await runScript(RUN_SQL, databaseUrl, statement);
      return id;
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

function pollCounts(databaseUrl: string, project: string) {
  const observed = `select count(*)::text from observability.observations where project_id = '${project}' and end_status is not null`;
  const marked = `select count(*)::text from observability.traces where project_id = '${project}' and name = 'mark'`;
  const words = [POLL_SQL, databaseUrl, `select (${observed}) as calls, (${marked}) as marks`, "20"];
  const child = spawn(process.execPath, words, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  const polls: Poll[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => void polls.push(JSON.parse(line) as Poll));
  return {
    until: async (isEnough: (counts: Poll[1][0]) => boolean) => {
      for (const startedAt = Date.now(); Date.now() - startedAt < PATIENCE_MS; await pause(100)) {
        const counts = polls.at(-1)?.[1][0];
        if (counts !== undefined && isEnough(counts)) {
          return;
        }
      }
    },
    stop: () => {
      child.kill();
      return polls;
    },
  };
}
