import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeRunsSchema, type CodeRuns } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countMarkedHours, deleteExpiredRecords } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const mine = uuidv7();
const closed = uuidv7();
const theirs = uuidv7();

const PLAN = { repo: "Acme/shop", commit: "c1", file: "src/plan.ts", line: 10, function: "plan" };
const ANSWER = { repo: "Acme/shop", commit: "c1", file: "src/plan.ts", line: 40, function: "answer" };
const START = new Date();

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: mine, tenantId: "tenant-1", name: "support" });
  await insertProject(database.query, { id: closed, tenantId: "tenant-1", name: "closed" });
  await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "their-secret-name" });
  await database.pool.query(`update observability.projects set access = case when id = '${closed}' then 'members' else 'tenant' end`);
  const producer = createProducer(mine);
  await writeEvents(database, [
    ...range(20).flatMap((index) => step(producer, PLAN, { minutes: 200 - index, ms: 100 })),
    ...step(producer, PLAN, { minutes: 190, ms: 5_000, status: "failure" }),
    // A later commit has the function elsewhere.
    ...range(4).flatMap((index) => step(producer, { ...PLAN, commit: "c2", line: 12 }, { minutes: 20 - index, ms: 100 })),
    ...step(producer, ANSWER, { minutes: 30, ms: 50 }),
    ...step(producer, { repo: "github.com/acme/shop", file: "src/other.ts", line: 3 }, { minutes: 3, ms: 1 }),
    ...step(producer, { file: "src/plan.ts", line: 10 }, { minutes: 3, ms: 1 }),
    ...step(createProducer(closed), PLAN, { minutes: 5, ms: 70 }),
    ...step(createProducer(theirs), PLAN, { minutes: 5, ms: 70 }),
  ]);
  while (await countMarkedHours(database.query)) {
    // The hours that are left.
  }
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

type Code = { readonly repo?: string; readonly commit?: string; readonly file: string; readonly line: number; readonly function?: string };
type Ran = { readonly minutes: number; readonly ms: number; readonly status?: "success" | "failure" };

/** A trace of one step that ran `code` so many minutes ago. */
function step(producer: Producer, code: Code, { minutes, ms, status = "success" }: Ran): readonly StreamEvent[] {
  const [trace, observation] = [uuidv7(), uuidv7()];
  const started = new Date(START.getTime() - minutes * 60_000);
  const [startedAt, endedAt] = [started.toISOString(), new Date(started.getTime() + ms).toISOString()];
  const ids = { trace_id: trace, observation_id: observation };
  return [
    producer.event("trace.start", { trace_id: trace, name: "agent", started_at: startedAt }),
    producer.event("observation.start", { ...ids, parent_id: null, kind: "node", name: "n", started_at: startedAt, code }),
    producer.event("observation.end", { ...ids, ended_at: endedAt, duration_ms: ms, status }),
    producer.event("trace.end", { trace_id: trace, ended_at: endedAt, status }),
  ];
}

function range(count: number): readonly number[] {
  return [...Array(count).keys()];
}

async function read(url: string, token?: string): Promise<CodeRuns> {
  const { status, body } = await api.get(url, token);
  expect({ status, body }).toMatchObject({ status: 200 });
  return codeRunsSchema.parse(body);
}

const ofProject = (query: string, id = mine) => `/api/v1/projects/${id}/code?repo=acme/shop&${query}`;

describe("GET /api/v1/projects/:project_id/code", () => {
  test("tells how often, how long and how well each function of a file ran, at the line of its latest commit", async () => {
    const { items, truncated } = await read(ofProject("path=src/plan.ts"));
    expect(truncated).toBe(false);
    expect(items.map(({ latest: _latest, last_run_at: _at, ...place }) => place)).toEqual([
      {
        project_id: mine,
        project: "support",
        function: "plan",
        line: 12,
        commit: "c2",
        runs: 25,
        failures: 1,
        p95_ms: expect.closeTo(100, -1.5),
      },
      expect.objectContaining({ function: "answer", line: 40, commit: "c1", runs: 1, failures: 0 }),
    ]);
  });

  test("names the latest runs, and a failure however many came after it", async () => {
    const [plan] = (await read(ofProject("path=src/plan.ts"))).items;
    const times = plan?.latest.map((run) => run.started_at) ?? [];
    expect(times).toEqual(times.toSorted().toReversed());
    expect(plan?.latest[0]).toMatchObject({ status: "success", duration_ms: 100 });
    const failures = plan?.latest.filter(({ status }) => status === "failure");
    expect(failures).toMatchObject([{ project_id: mine, trace_name: "agent", duration_ms: 5_000 }]);
    expect(plan?.last_run_at).toBe(times[0]);
    const trace = failures?.[0]?.trace_id ?? "";
    expect(await api.get(`/api/v1/projects/${mine}/traces/${trace}`)).toMatchObject({ status: 200 });
  });

  test("takes lines, days and a limit", async () => {
    expect((await read(ofProject("path=src/plan.ts&from=30&to=50"))).items).toMatchObject([{ function: "answer" }]);
    expect((await read(ofProject("path=src/plan.ts&from=1&to=10"))).items).toMatchObject([{ function: "plan", commit: "c1", runs: 21 }]);
    expect(await read(ofProject("path=src/plan.ts&limit=1"))).toMatchObject({ items: [{ function: "plan" }], truncated: true });
  });

  test("has places without a function by their line, and nothing of another repository", async () => {
    expect((await read(ofProject("path=src/other.ts"))).items).toMatchObject([{ function: null, line: 3, commit: null, runs: 1 }]);
    expect((await read(`/api/v1/projects/${mine}/code?repo=acme/else&path=src/plan.ts`)).items).toEqual([]);
  });

  test.each(["from=5&to=4", "days=91", "limit=0", "path=", "from=9999999999999"])("refuses %s", async (query) => {
    expect(await api.get(ofProject(`path=src/plan.ts&${query}`))).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("is not there for who may not see the project", async () => {
    expect(await api.get(ofProject("path=a", theirs))).toMatchObject({ status: 404 });
    expect(await api.get(ofProject("path=a", closed))).toMatchObject({ status: 404 });
  });
});

describe("GET /api/v1/code-runs", () => {
  test("answers of all projects that whoever asks may see, and of no other", async () => {
    const projectsFor = async (token: string) =>
      (await read("/api/v1/code-runs?repo=acme/shop&path=src/plan.ts", token)).items.map(({ project, runs }) => `${project} ${runs}`);
    expect(await projectsFor("tenant-1:member")).toEqual(["support 25", "support 1"]);
    expect((await projectsFor("tenant-1:admin")).toSorted()).toEqual(["closed 1", "support 1", "support 25"]);
    expect(await projectsFor("tenant-2:member")).toEqual(["their-secret-name 1"]);
  });
});

test("a trace that is kept no longer is named no more, what ran is still counted until three months have gone", async () => {
  const other = createProducer(closed);
  await writeEvents(database, step(other, { ...PLAN, file: "src/gone.ts" }, { minutes: 5, ms: 70 }));
  await countMarkedHours(database.query);
  const url = ofProject("path=src/gone.ts", closed);
  expect((await read(url, "tenant-1:admin")).items).toMatchObject([{ runs: 1, latest: [{ status: "success" }] }]);
  await database.pool.query("delete from observability.traces where project_id = $1", [closed]);
  expect((await read(url, "tenant-1:admin")).items).toMatchObject([{ runs: 1, latest: [] }]);
  await database.pool.query("update observability.code_hours set hour = hour - interval '93 days' where file = 'src/gone.ts'");
  await deleteExpiredRecords(database.query);
  const { rows } = await database.pool.query("select file from observability.code_hours where file = 'src/gone.ts'");
  expect(rows).toEqual([]);
});

test("says since when hours of the projects that one may see can't be counted", async () => {
  await database.pool.query(
    `insert into observability.uncounted_hours (project_id, day, hour, failures, since, next_try_at, error_code)
     select unnest($1::uuid[]), '2026-01-01', date_trunc('hour', now()), 1, '2026-01-01T10:00:00Z', 'infinity', '57014'`,
    [[closed, theirs]],
  );
  const code = "repo=acme/shop&path=src/plan.ts";
  expect(await read(`/api/v1/projects/${mine}/code?${code}`)).toMatchObject({ uncounted_since: null });
  expect(await read(`/api/v1/code-runs?${code}`)).toMatchObject({ uncounted_since: null });
  expect(await read(`/api/v1/code-runs?${code}`, "tenant-1:admin")).toMatchObject({ uncounted_since: "2026-01-01T10:00:00.000Z" });
  await database.pool.query("truncate observability.uncounted_hours");
});
