import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { time } from "#measure.ts";
import { withDatabase } from "#processes.ts";
import { meansOf, serveObservability, type Serving } from "#queries/serve.ts";
import { repository, runScript } from "#scripts.ts";
import { EXPERIMENTS, fillExperiments, ITEMS } from "./fill.ts";

/**
 * `npm run bench:evaluation`: the routes behind the pages of an experiment, and its gate, one request at a time, on 10,000 items, 50 experiments
 * and 500,000 scores. Needs the PostgreSQL at `TEST_DATABASE_URL`. `--keep` leaves the database, and uses the one that was left. Beside each stands how many
 * times as long it takes as PostgreSQL does for the mean of each item in the experiments that it reads: one plain GROUP BY.
 */
const RUN_SQL = "packages/foundation/testing/run-sql.ts";
const REQUESTS = 20;
const GOAL_MS = 300;

const server = process.env["TEST_DATABASE_URL"];
if (server === undefined) {
  throw new Error("TEST_DATABASE_URL is not set: a PostgreSQL.");
}
const isKept = process.argv.includes("--keep");
const name = isKept ? "bench_evaluation" : `bench_${randomBytes(8).toString("hex")}`;
const url = withDatabase(server, name);
try {
  if ((await runScript(RUN_SQL, server, `select from pg_database where datname = '${name}'`)).trim() === "[]") {
    await runScript(RUN_SQL, server, `create database ${name}`);
    await promisify(execFile)(process.execPath, ["apps/platform/sightline.ts", "migrate", "up"], {
      cwd: repository,
      env: { PATH: process.env["PATH"], DATABASE_URL: url, OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1", ENVIRONMENT: "development" },
    });
    await fillExperiments(url, { projectId: randomUUID(), tenantId: randomUUID(), datasetId: randomUUID() });
  }
  await measure();
} finally {
  if (!isKept) {
    await runScript(RUN_SQL, server, `drop database ${name} with (force)`);
  }
}

async function measure(): Promise<void> {
  const asked = await runScript(
    RUN_SQL,
    url,
    "select id, tenant_id, (select json_agg(id order by created_at desc) from observability.experiments) as ids from observability.projects",
  );
  const [project] = JSON.parse(asked) as readonly { readonly id: string; readonly tenant_id: string; readonly ids: readonly string[] }[];
  if (project === undefined) {
    throw new Error("The database was not filled.");
  }
  const [newest = "", before = ""] = project.ids;
  const base = `/projects/${project.id}/experiments`;
  const one = `${base}/${newest}`;
  const grouped = { two: await timeGroupBy(project.ids.slice(0, 2)), four: await timeGroupBy(project.ids.slice(0, 4)) };
  const cases: readonly (readonly [path: string, groupedMs: number])[] = [
    [`${base}?limit=50`, grouped.four],
    [one, grouped.two],
    [`${one}/comparison?baseline=${before}`, grouped.two],
    [`${one}/comparison?baseline=main`, grouped.four],
    [`${one}/nodes?baseline=${before}`, grouped.two],
    [`${one}/nodes?baseline=main`, grouped.four],
    [`${one}/gate?baseline=${before}`, grouped.two],
    [`${one}/gate?baseline=main`, grouped.four],
    [`${one}/items?baseline=${before}&limit=50`, grouped.two],
    [`${one}/items?baseline=main&limit=50`, grouped.four],
    [`${one}/items?baseline=main&limit=200&only=worse`, grouped.four],
  ];
  const serving = await serveObservability(url, project.tenant_id);
  const rows = [];
  try {
    for (const [path, groupedMs] of cases) {
      rows.push(await timePath(serving, path, groupedMs));
    }
  } finally {
    await serving.stop();
  }
  const shown = rows.map(({ path, ...row }) => ({
    route: path.replace(base, "").replace(newest, ":id").replace(before, ":before"),
    ...row,
  }));
  console.table(shown);
  console.log(
    JSON.stringify({ items: ITEMS, experiments: EXPERIMENTS, scores: ITEMS * EXPERIMENTS, goalMs: GOAL_MS, grouped, rows: shown }),
  );
}

/** The first page and then the second, by turns. */
async function timePath(serving: Serving, path: string, groupedMs: number) {
  const { next, items } = await serving.ask(path);
  const second = next === null ? path : `${path}&cursor=${next}`;
  const paths = Array.from({ length: REQUESTS }, (_, index) => (index % 2 === 0 ? path : second));
  const before = await serving.spent();
  const { took } = await time(paths, 1, async (each) => void (await serving.ask(each)));
  const after = await serving.spent();
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  const goal = at(0.95) < GOAL_MS ? "met" : `missed: ${GOAL_MS}`;
  return {
    path,
    items,
    "p50 ms": at(0.5),
    "p95 ms": at(0.95),
    goal,
    "p50 ÷ GROUP BY": Number((at(0.5) / groupedMs).toFixed(2)),
    ...meansOf(before, after, REQUESTS),
  };
}

/** Milliseconds inside of PostgreSQL, the median of five. */
async function timeGroupBy(ids: readonly string[]): Promise<number> {
  const took = [];
  for (let round = 0; round < 5; round += 1) {
    const printed = await runScript(
      RUN_SQL,
      url,
      `explain (analyze, timing off, format json) select item_id, name, avg(value) from observability.run_scores
        where experiment_id in (${ids.map((id) => `'${id}'`).join(", ")}) and project_id = (select id from observability.projects) group by item_id, name`,
    );
    const [row] = JSON.parse(printed) as readonly { readonly "QUERY PLAN": readonly { readonly "Execution Time": number }[] }[];
    took.push(row?.["QUERY PLAN"][0]?.["Execution Time"] ?? 0);
  }
  return took.toSorted((one, other) => one - other)[2] ?? 0;
}
