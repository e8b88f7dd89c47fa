import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { issueDetailSchema, issuePageSchema, issueTracePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { clearTables, createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { failingRun, type FailingRun } from "#testing/failing-run.ts";
import { writeEvents } from "#testing/write-events.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TIMEOUT = "TimeoutError: no answer for order 42 within 30 s";
const MISSING = "ValueError: order 42 was not found";

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
});
beforeEach(async () => {
  await clearTables(database);
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

const base = () => `/api/v1/projects/${projectId}/issues`;

/** Has traces run so long ago, and their issues found. @returns the traces' ids. */
async function ran(...runs: readonly (Omit<FailingRun, "at"> & { readonly ago?: number })[]): Promise<readonly string[]> {
  const producer = createProducer(projectId);
  const now = Date.now();
  const given = runs.map(({ ago = MINUTE, ...run }) => ({ traceId: uuidv7(), at: new Date(now - ago), ...run }));
  await writeEvents(
    database,
    given.flatMap((run) => failingRun(producer, run)),
  );
  await countAndFind(database, projectId);
  return given.map(({ traceId }) => traceId);
}

async function list(query = "") {
  return issuePageSchema.parse((await api.get(`${base()}${query}`)).body);
}

async function firstId(query?: string): Promise<string> {
  return (await list(query)).items[0]?.id ?? "";
}

test("the list tells of each issue how often, whom, since when, on which versions and where", async () => {
  await ran(
    { error: TIMEOUT, ago: 2 * DAY, user: "ann", release: "1", commit: "c1", line: 12 },
    { error: TIMEOUT, ago: DAY, user: "bob", release: "2", commit: "c2", line: 20 },
    { error: TIMEOUT, ago: DAY + 1, user: "bob", release: "2", commit: "c2", line: 20 },
    { error: MISSING },
  );
  const { items } = await list("?sort=count");
  expect(items).toMatchObject([
    {
      title: "find_order: TimeoutError: no answer for order <n> within <n> s",
      state: "open",
      count: 3,
      users: 2,
      releases: ["2", "1"],
      commits: ["c2", "c1"],
      where: { path: ["agent", "lookup"], function: "find_order", file: "src/orders.py", line: 20, commit: "c2" },
      error: { class: "TimeoutError", message: "no answer for order <n> within <n> s" },
    },
    { count: 1, users: 0, releases: [] },
  ]);
  expect(items.map(({ sparkline }) => [sparkline.length, sparkline.slice(-3)])).toEqual([
    [30, [1, 2, 0]],
    [30, [0, 0, 1]],
  ]);
  expect(items.map(({ first_seen: first, last_seen: last }) => Date.parse(last) - Date.parse(first))).toEqual([DAY, 0]);
});

test.each(["last_seen", "count"])("pages by %s hold every issue once", async (sort) => {
  await ran(...["a", "b", "c", "d", "e"].map((tool, ago) => ({ error: TIMEOUT, tool, ago: ago * MINUTE })), { error: TIMEOUT, tool: "c" });
  const whole = (await list(`?sort=${sort}`)).items.map(({ id }) => id);
  const found: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await list(`?sort=${sort}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    found.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(found).toEqual(whole);
  expect(new Set(found).size).toBe(5);
});

test("an issue has three traces as evidence, and all of them page by page", async () => {
  const [oldest, middle, newest] = await ran(
    { error: TIMEOUT, ago: 3 * MINUTE, line: 7 },
    { error: TIMEOUT, ago: 2 * MINUTE },
    { error: TIMEOUT, ago: MINUTE },
  );
  await database.pool.query(
    "update observability.trace_entries set steps = case when trace_id = $1 then 9 else steps end, duration_ms = case when trace_id = $2 then 1 else 40 end",
    [oldest, newest],
  );
  const id = await firstId();
  const detail = issueDetailSchema.parse((await api.get(`${base()}/${id}`)).body);
  expect(detail.first_where).toMatchObject({ file: "src/orders.py", line: 7 });
  expect(detail.evidence).toMatchObject({
    shortest: { trace_id: newest, error: TIMEOUT, name: "support-agent" },
    typical: { trace_id: middle },
    newest: { trace_id: newest },
  });
  const first = issueTracePageSchema.parse((await api.get(`${base()}/${id}/traces?limit=2`)).body);
  const rest = issueTracePageSchema.parse((await api.get(`${base()}/${id}/traces?limit=2&cursor=${first.next_cursor}`)).body);
  expect([...first.items, ...rest.items].map((trace) => [trace.trace_id, trace.line])).toEqual([
    [newest, 12],
    [middle, 12],
    [oldest, 7],
  ]);
  expect(rest.next_cursor).toBeNull();
});

test("people ignore, close, assign and open an issue, and each state has its list", async () => {
  await ran({ error: TIMEOUT });
  const id = await firstId();
  const change = async (body: object) => (await api.patch(`${base()}/${id}`, body)).body;
  const states = async () =>
    Promise.all(["open", "ignored", "closed", "all"].map(async (state) => (await list(`?state=${state}`)).items.length));
  expect(await change({ assignee: "ann", tracker_url: "https://tracker.example.org/1" })).toMatchObject({
    state: "open",
    assignee: "ann",
    tracker_url: "https://tracker.example.org/1",
  });
  const until = new Date(Date.now() + DAY).toISOString();
  expect(await change({ state: "ignored", ignored_until: until })).toMatchObject({
    state: "ignored",
    ignored_until: until,
    assignee: "ann",
  });
  expect(await states()).toEqual([0, 1, 0, 1]);
  await database.pool.query("update observability.issues set ignored_until = now() - interval '1 second'");
  expect(await states()).toEqual([1, 0, 0, 1]);
  expect(await change({ state: "closed", closed_at_commit: "c2" })).toMatchObject({
    state: "closed",
    closed_at_commit: "c2",
    ignored_until: null,
  });
  expect(await states()).toEqual([0, 0, 1, 1]);
  await ran({ error: TIMEOUT, ago: -MINUTE });
  expect((await list()).items).toMatchObject([{ state: "open", count: 2 }]);
  expect((await list()).items[0]?.reopened_at).not.toBeNull();
});

test("what can't be decided is refused with what to do", async () => {
  await ran({ error: TIMEOUT });
  const url = `${base()}/${await firstId()}`;
  const past = { state: "ignored", ignored_until: "2026-01-01T00:00:00.000Z" };
  expect(await api.patch(url, past)).toMatchObject({ status: 400, body: { error: "ignored_until_past" } });
  for (const body of [
    { state: "open", closed_at_commit: "c" },
    { state: "lost" },
    { tracker_url: "javascript:alert(1)" },
    { tracker_url: "https://a.example.org/\0" },
  ]) {
    expect((await api.patch(url, body)).status).toBe(400);
  }
  expect(await api.get(`${base()}/${uuidv7()}`)).toMatchObject({ status: 404, body: { error: "issue_not_found" } });
});

test("merged issues are one, also for what fails like them afterwards", async () => {
  await ran({ error: TIMEOUT }, { error: MISSING, ago: DAY });
  const [into = "", from = ""] = (await list()).items.map(({ id }) => id);
  expect((await api.post(`${base()}/merge`, { into, from: [from] })).body).toMatchObject({ id: into, count: 2 });
  expect((await api.get(`${base()}/${from}`)).status).toBe(404);
  expect((await api.post(`${base()}/merge`, { into: from, from: [into] })).status).toBe(404);
  await ran({ error: MISSING });
  expect((await list("?state=all")).items).toMatchObject([{ id: into, count: 3 }]);
});

test("what was merged is split off by one of its traces, with all that fails like it; an issue of one key can't be divided", async () => {
  const [own = "", merged = ""] = await ran({ error: TIMEOUT }, { error: MISSING, ago: DAY }, { error: MISSING, ago: DAY });
  const [into = "", from = ""] = (await list()).items.map(({ id }) => id);
  await api.post(`${base()}/merge`, { into, from: [from] });
  expect((await list()).items).toMatchObject([{ id: into, count: 3, merged: 1 }]);
  const split = (trace: string, id = into) => api.post(`${base()}/${id}/split`, { trace_id: trace });
  expect(await split(own)).toMatchObject({ status: 409, body: { error: "nothing_to_split" } });
  expect(await split(uuidv7())).toMatchObject({ status: 409 });
  expect(await split(merged)).toMatchObject({
    status: 200,
    body: { id: from, count: 1, title: "find_order: ValueError: order <n> was not found" },
  });
  await countAndFind(database, projectId);
  await ran({ error: MISSING });
  expect((await list("?sort=count")).items).toMatchObject([
    { id: from, count: 3, merged: 0 },
    { id: into, count: 1, merged: 0 },
  ]);
  expect(await split(merged, from)).toMatchObject({ status: 409 });
});
