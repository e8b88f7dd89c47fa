import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { time } from "#measure.ts";
import { withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";
import { ASCENDING, LISTS, OTHERS } from "./cases.ts";
import { fillTraces } from "./fill.ts";
import { checkPlans } from "./plans.ts";
import { meansOf, serveObservability, type Serving } from "./serve.ts";

/**
 * `npm run bench:queries -- 10000 100000 1000000`: the routes that explore a project's traces, one request at a time, on so many traces with
 * ten steps each, and a second project beside them. Needs the PostgreSQL at `TEST_DATABASE_URL`. `--keep` leaves the databases, and uses those that were left;
 * `--only=figures` asks the routes whose address has that in it.
 */
const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const REQUESTS = 20;
const GOALS_MS = { list: 200, others: 300 };
const MAXIMUM = 1_000_000;

const server = process.env["TEST_DATABASE_URL"];
if (server === undefined) {
  throw new Error("TEST_DATABASE_URL is not set: a PostgreSQL.");
}
const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length);
const sizes = words.filter((word) => /^\d+$/.test(word)).map(Number);
const run = promisify(execFile);

for (const size of sizes.length === 0 ? [10_000] : sizes) {
  await measure(server, Math.min(size, MAXIMUM));
}

async function measure(postgresUrl: string, traces: number): Promise<void> {
  const isKept = words.includes("--keep");
  const name = isKept ? `bench_queries_${traces}` : `bench_${randomBytes(8).toString("hex")}`;
  const url = withDatabase(postgresUrl, name);
  const known = await runScript(RUN_SQL, postgresUrl, `select datname from pg_database where datname = '${name}'`);
  try {
    if (known.trim() === "[]") {
      await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
      await fill(url, traces);
    }
    await measureFilled(url, traces);
  } finally {
    if (!isKept) {
      await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
    }
  }
}

async function fill(url: string, traces: number): Promise<void> {
  const environment = {
    PATH: process.env["PATH"],
    DATABASE_URL: url,
    OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1",
    ENVIRONMENT: "development",
  };
  await run(process.execPath, ["apps/platform/sightline.ts", "migrate", "up"], { cwd: repository, env: environment });
  const began = performance.now();
  await fillTraces({ url, projectId: randomUUID(), otherId: randomUUID(), tenantId: randomUUID(), traces });
  const filled = performance.now();
  await runScript("packages/observability/testing/count-traces.ts", url);
  const counted = performance.now();
  for (const table of ["trace_entries", "trace_groups", "trace_marks", "trace_hours", "trace_hour_fields"]) {
    await runScript(RUN_SQL, url, `vacuum analyze observability.${table}`);
  }
  console.log(
    `${traces} traces: filled in ${Math.round((filled - began) / 1000)} s, counted and packed in ${Math.round((counted - filled) / 1000)} s`,
  );
}

async function measureFilled(url: string, traces: number): Promise<void> {
  const found = await runScript(RUN_SQL, url, "select id, tenant_id from observability.projects where name = 'bench'");
  const [project] = JSON.parse(found) as readonly { readonly id: string; readonly tenant_id: string }[];
  if (project === undefined) {
    throw new Error("The database was not filled.");
  }
  const serving = await serveObservability(url, project.tenant_id);
  const rows = [];
  try {
    const base = `/projects/${project.id}`;
    for (const { q, sort, order } of only === undefined ? [...LISTS, ...ASCENDING] : []) {
      const path = `${base}/traces?q=${encodeURIComponent(q)}&sort=${sort}&order=${order ?? "desc"}`;
      rows.push(
        await timePath(serving, path, {
          traces,
          route: `list by ${sort}${order === undefined ? "" : " asc"}`,
          asked: q,
          goalMs: GOALS_MS.list,
        }),
      );
    }
    for (const path of OTHERS.filter((each) => only === undefined || each.includes(only))) {
      const route = path.replace(/&?from=[^&]*/, "");
      rows.push(await timePath(serving, `${base}/${path}`, { traces, route, asked: "", goalMs: GOALS_MS.others }));
    }
    if (only === undefined) {
      rows.push(await timeTagging(serving, base, { traces, route: "tag 50 traces", asked: "", goalMs: GOALS_MS.others }));
    }
  } finally {
    await serving.stop();
  }
  console.table(rows);
  if (only === undefined) {
    console.table(await checkPlans(url, project.id, LISTS));
  }
  console.log(JSON.stringify({ traces, goals: GOALS_MS, rows }));
}

type Asked = { readonly traces: number; readonly route: string; readonly asked: string; readonly goalMs: number };

/** The first page and then the second, by turns. */
async function timePath(serving: Serving, path: string, { traces, route, asked, goalMs }: Asked) {
  const first = await serving.ask(path);
  const second = first.next === null ? path : `${path}${path.includes("?") ? "&" : "?"}cursor=${first.next}`;
  const paths = Array.from({ length: REQUESTS }, (_, index) => (index % 2 === 0 ? path : second));
  const before = await serving.spent();
  const { took } = await time(paths, 1, async (each) => void (await serving.ask(each)));
  const after = await serving.spent();
  return { traces, route, asked, items: first.items, ...spreadOf(took, goalMs), ...meansOf(before, after, REQUESTS) };
}

/** The newest traces get a tag and lose it, by turns. */
async function timeTagging(serving: Serving, base: string, { traces, route, asked, goalMs }: Asked) {
  const { ids } = await serving.ask(`${base}/traces`);
  const changes = Array.from({ length: REQUESTS }, (_, index) =>
    index % 2 === 0 ? { trace_ids: ids, add: ["bench"], remove: [] } : { trace_ids: ids, add: [], remove: ["bench"] },
  );
  const { took } = await time(changes, 1, async (change) => void (await serving.ask(`${base}/traces/tag`, change)));
  return { traces, route, asked, items: ids.length, ...spreadOf(took, goalMs) };
}

function spreadOf(took: readonly number[], goalMs: number) {
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  const goal = at(0.95) < goalMs ? "met" : `missed: ${goalMs}`;
  return { "p50 ms": at(0.5), "p95 ms": at(0.95), goal };
}
