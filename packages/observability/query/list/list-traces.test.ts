import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tracePageSchema, type TracePage } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { exploredRun, type Run } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const producer = createProducer(projectId);

/** By these names the traces are told apart. */
const RUNS: readonly Run[] = [
  {
    name: "quick",
    seconds: 1,
    session: "s-1",
    user: "ann",
    model: "gpt-4o",
    tool: "find",
    tokens: 10,
    file: "src/tools/find.ts",
    input: "refund order 77",
  },
  {
    name: "slow",
    seconds: 60,
    session: "s-1",
    user: "ann",
    model: "gpt-4o-mini",
    tool: "find",
    tokens: 900,
    score: 0.9,
    input: "Größe prüfen",
  },
  {
    name: "Failed one",
    seconds: 5,
    session: "s-2",
    user: "bob, the 2nd",
    error: "TimeoutError: too slow",
    failures: 2,
    tool: "pay",
    tokens: 50,
    score: 0.2,
  },
  { name: "open", user: "ann", node: "plan" },
  { name: "silent", seconds: 5, thread: "t-1", commit: "abc123" },
];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "explored" });
  for (const [minute, run] of RUNS.entries()) {
    await writeEvents(database, exploredRun(producer, run, minute));
  }
  await database.pool.query(
    "insert into observability.prices (project_id, model, valid_from, input, output) values ($1, 'gpt-4o', '2020-01-01', 1, 1), ($1, 'gpt-4o-mini', '2020-01-01', 0.1, 0.1)",
    [projectId],
  );
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("q finds", () => {
  test.each([
    ["status:failure", ["Failed one"]],
    ["status:running,failure", ["open", "Failed one"]],
    ["-status:success", ["open", "Failed one"]],
    ["name:quick,slow", ["slow", "quick"]],
    ["name:FAILED*", ["Failed one"]],
    ['name:"Failed*"', []],
    ["session:s-1", ["slow", "quick"]],
    ["-session:*", ["silent", "open"]],
    ['user:"bob, the 2nd"', ["Failed one"]],
    ["user:a*", ["open", "slow", "quick"]],
    ["thread:t-1", ["silent"]],
    ["model:gpt-4o", ["quick"]],
    ["model:GPT-4o*", ["slow", "quick"]],
    ["-model:gpt-4o*", ["silent", "open", "Failed one"]],
    ["tool:find,pay", ["Failed one", "slow", "quick"]],
    ["node:plan", ["open"]],
    ["kind:llm", ["slow", "quick"]],
    ["error:TIMEOUT", ["Failed one"]],
    ["error:time*too", []],
    ["error:time*slow*", ["Failed one"]],
    ["duration:>5s", ["slow"]],
    ["duration:1s..5s", ["silent", "Failed one", "quick"]],
    ["cost:>0.00005", ["slow"]],
    ["tokens:10", ["quick"]],
    ["input_tokens:>=10 tokens:<100", ["quick"]],
    ["steps:0", []],
    ["failures:>1", ["Failed one"]],
    ["score.helpful:>0.5", ["slow"]],
    ["score.helpful:0.2,0.9", ["Failed one", "slow"]],
    ["-score.helpful:>0.5", ["silent", "open", "Failed one", "quick"]],
    ["code:find.ts", ["quick"]],
    ["code:src/tools/find.ts", ["quick"]],
    ["code:ools/*", []],
    ["code:tools/*", ["quick"]],
    ["code:src/tools/*", ["quick"]],
    ["commit:abc*", ["silent"]],
    ["has:error", ["Failed one"]],
    ["has:score", ["Failed one", "slow"]],
    ["has:cost", ["slow", "quick"]],
    ["has:lost", []],
    ["lost:0", ["silent", "open", "Failed one", "slow", "quick"]],
    ["started:2026-11-21T10:01", ["slow"]],
    ["started:>=2026-11-21T10:03", ["silent", "open"]],
    ["started:<2026-11-21", []],
    ["started:>-1h", []],
    ["REFUND order", ["quick"]],
    ['"order 77"', ["quick"]],
    ["größe", ["slow"]],
    ["refun", []],
    ["-refund status:success", ["silent", "slow"]],
    ["user:ann tool:find duration:>10s", ["slow"]],
    ["name:50%", []],
    ["started:<-999999w", []],
    ["started:>-999999w name:quick", ["quick"]],
  ])("%s", async (q, names) => {
    expect(await namesOf({ q })).toEqual(names);
  });
});

test("a query of many terms leaves connections to others", async () => {
  const acquired = { now: 0, most: 0 };
  const onAcquire = () => (acquired.most = Math.max(acquired.most, (acquired.now += 1)));
  const onRelease = () => (acquired.now -= 1);
  database.pool.on("acquire", onAcquire).on("release", onRelease);
  expect(await namesOf({ q: Array.from({ length: 50 }, (_, index) => `-tool:x${index}*`).join(" ") })).toHaveLength(RUNS.length);
  database.pool.off("acquire", onAcquire).off("release", onRelease);
  expect(acquired.most).toBeLessThanOrEqual(2);
});

test("a query that cannot be read is refused with where it is wrong", async () => {
  expect(await api.get(urlOf({ q: "status:success colour:red" }))).toMatchObject({
    status: 400,
    body: { error: "invalid_query", details: [{ path: "q[15..22]", message: expect.stringContaining("There is no field colour") }] },
  });
});

describe("sorts, what has no value last, and pages through all of it once", () => {
  test.each([
    ["started", "desc", ["silent", "open", "Failed one", "slow", "quick"]],
    ["started", "asc", ["quick", "slow", "Failed one", "open", "silent"]],
    ["duration", "desc", ["slow", "silent", "Failed one", "quick", "open"]],
    ["duration", "asc", ["quick", "Failed one", "silent", "slow", "open"]],
    ["cost", "desc", ["slow", "quick", "silent", "open", "Failed one"]],
    ["tokens", "asc", ["quick", "slow", "silent", "open", "Failed one"]],
    ["errors", "desc", ["Failed one", "silent", "open", "slow", "quick"]],
  ] as const)("by %s %s", async (sort, order, names) => {
    for (const limit of [1, 2, 5]) {
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: TracePage = await list({ sort, order, limit: String(limit), ...(cursor === "" ? {} : { cursor }) });
        seen.push(...page.items.map((item) => item.name));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(names);
    }
  });

  test("a cursor of a list in another order is refused", async () => {
    const { next_cursor: cursor } = await list({ sort: "duration", limit: "1" });
    for (const other of [{ sort: "cost" }, { sort: "duration", order: "asc" }, {}]) {
      expect(await api.get(urlOf({ ...other, cursor: cursor ?? "" }))).toMatchObject({ status: 400, body: { error: "invalid_cursor" } });
    }
  });
});

test("what was written a moment ago is found and sorted by right away, as what it is now", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "moving" });
  const other = createProducer(project);
  const traceId = uuidv7();
  await writeEvents(database, exploredRun(other, { name: "first", seconds: 9 }, 0));
  await writeEvents(database, [other.event("trace.start", { trace_id: traceId, name: "moves", started_at: "2026-11-21T10:00:00Z" })]);
  const asked = (q: string) => list({ q, sort: "duration" }, project).then(({ items }) => items.map(({ name }) => name));
  expect(await asked("")).toEqual(["first", "moves"]);
  expect(await asked("status:running")).toEqual(["moves"]);
  await writeEvents(database, [
    other.event("trace.end", { trace_id: traceId, ended_at: "2026-11-21T10:01:00Z", status: "failure", error: "boom" }),
  ]);
  expect(await asked("")).toEqual(["moves", "first"]);
  expect(await asked("status:running")).toEqual([]);
  expect(await asked("boom")).toEqual(["moves"]);
});

test("all that was written is found, also where the numbers of the marks gain a digit", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "numbered" });
  // On a worker of a cluster, whose numbers begin high, none is gained.
  await database.pool.query(`
    select setval(seqrelid::regclass, greatest(9995, seqmin)) from pg_sequence
    where seqrelid = pg_get_serial_sequence('observability.trace_marks', 'id')::regclass`);
  const other = createProducer(project);
  for (let run = 0; run < 10; run++) {
    await writeEvents(database, exploredRun(other, { name: `run ${run}`, seconds: 1 }, run));
  }
  expect((await list({ name: "run" }, project)).items).toHaveLength(10);
});

test("finds traces with events known to be missing, as soon as that is known", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "lossy" });
  const [lossy, whole] = [createProducer(project), createProducer(project)];
  await writeEvents(database, exploredRun(lossy, { name: "lossy", seconds: 1 }, 0));
  await writeEvents(database, exploredRun(whole, { name: "whole", seconds: 1 }, 1));
  const named = (q: string) => list({ q }, project).then(({ items }) => items.map(({ name }) => name));
  expect(await named("has:lost")).toEqual([]);
  await database.pool.query("insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, $2, 2, 3)", [
    project,
    lossy.producerId,
  ]);
  expect(await Promise.all(["has:lost", "lost:2", "lost:<2", "-lost:>1", "lost:0..5"].map(named))).toEqual([
    ["lossy"],
    ["lossy"],
    ["whole"],
    ["whole"],
    ["whole", "lossy"],
  ]);
});

function urlOf(query: Readonly<Record<string, string>>, project = projectId): string {
  return `/api/v1/projects/${project}/traces?${new URLSearchParams(query).toString()}`;
}

async function list(query: Readonly<Record<string, string>>, project = projectId): Promise<TracePage> {
  return tracePageSchema.parse((await api.get(urlOf(query, project))).body);
}

async function namesOf(query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await list(query)).items.map(({ name }) => name);
}
