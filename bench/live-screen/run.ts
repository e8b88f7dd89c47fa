import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startRedisSink } from "#ingestion/sinks.ts";
import { freePort, waitUntilHealthy, withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";
import { startBalancer } from "./replicas.ts";

/**
 * `npm run bench:live-screen`: from a call of the SDK to the run's row, or the step, on a screen that is open: Chromium, one console,
 * and behind it two replicas of observability's API, asked in turn, and two consumers. On the PostgreSQL at `TEST_DATABASE_URL`.
 */
const GOAL_P95_MS = 1_000;
const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const admin = { ADMIN_EMAIL: "admin@example.org", ADMIN_PASSWORD: randomBytes(16).toString("base64url") };

const postgresUrl = process.env["TEST_DATABASE_URL"];
if (postgresUrl === undefined) {
  throw new Error("Set TEST_DATABASE_URL: replicas need a PostgreSQL that several processes share.");
}
const home = await mkdtemp(join(tmpdir(), "sightline-bench-"));
const name = `bench_${randomBytes(8).toString("hex")}`;
const redis = await startRedisSink();
const [identityPort, consolePort, firstPort, secondPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
const balancer = await startBalancer([firstPort, secondPort]);
await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
const secret = () => randomBytes(32).toString("base64url");
const environment = {
  PATH: process.env["PATH"],
  ...admin,
  DATABASE_URL: withDatabase(postgresUrl, name),
  OBSERVABILITY_REDIS_URL: redis.url,
  OBSERVABILITY_URL: balancer.url,
  ENCRYPTION_KEYS: `bench:${secret()}`,
  CODEINDEX_ENCRYPTION_KEYS: `bench:${secret()}`,
  CODEINDEX_WEBHOOK_SECRET: secret(),
  SECRET_KEY: secret(),
  API_KEY: `studio_${randomBytes(32).toString("hex")}`,
  ENVIRONMENT: "development",
  LOG_LEVEL: "WARNING",
  IDENTITY_PORT: String(identityPort),
  CONSOLE_PORT: String(consolePort),
};
const consoleUrl = `http://localhost:${consolePort}`;
const stops: (() => Promise<void>)[] = [];
try {
  stops.push(await startProduct(firstPort, ["identity", "observability", "consumer", "console"]));
  stops.push(await startProduct(secondPort, ["observability", "consumer"]));
  await waitUntilAnswered();
  const printed = await watch(await createProject());
  const { runs, steps } = JSON.parse(printed) as { readonly runs: readonly number[]; readonly steps: readonly number[] };
  const rows = [
    { what: "a run's row in the list", ...figuresOf(runs) },
    { what: "a step of an open trace", ...figuresOf(steps) },
  ];
  console.table(rows);
  console.log(`Requests of each replica: ${balancer.counts().join(" and ")}. Load: ${(loadavg()[0] ?? 0).toFixed(1)}.`);
  console.log(JSON.stringify({ goalP95Ms: GOAL_P95_MS, load: loadavg()[0], requests: balancer.counts(), rows }));
} finally {
  for (const stop of stops.toReversed()) {
    await stop();
  }
  await balancer.stop();
  await redis.stop();
  await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
  await rm(home, { recursive: true, force: true });
}

async function startProduct(port: number, roles: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ["apps/platform/sightline.ts", "start", ...roles], {
    cwd: repository,
    env: { ...environment, OBSERVABILITY_PORT: String(port), SIGHTLINE_HOME: join(home, String(port)) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await waitUntilHealthy(`http://127.0.0.1:${port}`, child);
  return async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
}

async function waitUntilAnswered(): Promise<void> {
  for (const url of [`${consoleUrl}/api/observability/health`, `${consoleUrl}/api/identity/health`, consoleUrl]) {
    while (!(await fetch(url).catch(() => undefined))?.ok) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function createProject(): Promise<string> {
  const session = await post<{ readonly access_token: string }>("/api/identity/login/access-token", {
    email: admin.ADMIN_EMAIL,
    password: admin.ADMIN_PASSWORD,
  });
  const body = { name: "Live", access: "tenant" };
  return (await post<{ readonly id: string }>("/api/observability/api/v1/projects", body, session.access_token)).id;
}

async function post<Answer>(path: string, body: object, token?: string): Promise<Answer> {
  const answer = await fetch(`${consoleUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
  return (await answer.json()) as Answer;
}

/** What the browser saw, as it prints it. */
async function watch(project: string): Promise<string> {
  const child = spawn(process.execPath, ["e2e/watch-live.ts", consoleUrl, redis.url, project], {
    cwd: repository,
    env: { ...process.env, ...admin },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const [code] = await once(child, "close");
  if (code !== 0) {
    throw new Error("The browser did not get to its end.");
  }
  return printed;
}

function figuresOf(waits: readonly number[]) {
  const sorted = waits.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Infinity;
  const p95 = percentile(0.95);
  return { count: sorted.length, p50Ms: percentile(0.5), p95Ms: p95, highestMs: sorted.at(-1), goal: p95 < GOAL_P95_MS ? "met" : "missed" };
}
