import { createTestDatabase, define, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facetListSchema, traceGroupPageSchema, viewListSchema, viewSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { sweepRetention } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { exploredRun, type Run } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const base = `/api/v1/projects/${projectId}`;

const RUNS: readonly Run[] = [
  { name: "ask", seconds: 1, session: "s 1", user: "ann", model: "m-1", tokens: 10, input: "the first question" },
  { name: "ask", seconds: 1, session: "s 1", user: "ann", model: "m-1", tokens: 20, error: "boom" },
  { name: "ask", seconds: 1, session: "s-2", user: "bob", model: "m-2", tokens: 5 },
  { name: "tell", seconds: 1, session: "s-3", user: "Anton" },
];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "explored" });
  await database.pool.query(
    "insert into observability.prices (project_id, model, valid_from, input, output) values ($1, 'm-1', '2020-01-01', 1, 1)",
    [projectId],
  );
  const producer = createProducer(projectId);
  for (const [minute, run] of RUNS.entries()) {
    const events = exploredRun(producer, run, minute);
    // Twice and in two batches: that what came once more counts once.
    await writeEvents(database, events);
    await api.get(`${base}/users`);
    await writeEvents(database, events.slice(0, 4));
  }
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("users and sessions are what their traces are together, the last seen first, and pages go through all of them", async () => {
  const users = await groups("users");
  expect(users).toMatchObject({
    items: [
      { id: "Anton", traces: 1, failures: 0, input_tokens: null, cost: null, q: "user:Anton" },
      { id: "bob", traces: 1, failures: 0, input_tokens: 5, cost: null },
      { id: "ann", traces: 2, failures: 1, input_tokens: 30, output_tokens: 0, cost: expect.closeTo(0.00003, 10) },
    ],
    next_cursor: null,
    is_counting: false,
  });
  expect(users.items[2]).toMatchObject({ first_at: "2026-11-21T10:00:00.000Z", last_at: "2026-11-21T10:01:00.000Z" });
  for (const [sort, ids] of Object.entries({
    last: ["s-3", "s-2", "s 1"],
    traces: ["s 1", "s-3", "s-2"],
    tokens: ["s 1", "s-2", "s-3"],
    failures: ["s 1", "s-3", "s-2"],
    cost: ["s 1", "s-3", "s-2"],
  })) {
    const first = await groups(`sessions?sort=${sort}&limit=2`);
    const rest = await groups(`sessions?sort=${sort}&limit=2&cursor=${first.next_cursor}`);
    expect(
      [...first.items, ...rest.items].map(({ id }) => id),
      sort,
    ).toEqual(ids);
  }
  const [session] = (await groups("sessions?prefix=S%20")).items;
  expect(session?.session).toEqual({ first_input: "the first question", user_id: "ann", duration_ms: 61_000 });
  expect(users.items[0]).not.toHaveProperty("session");
  const found = await api.get(`${base}/traces?q=${encodeURIComponent(session?.q ?? "")}`);
  expect(found.body["items"]).toHaveLength(2);
});

test("facets tell which values a field has, of all traces or of those that a query finds", async () => {
  const facets = async (query: string) => facetListSchema.parse((await api.get(`${base}/traces/facets?${query}`)).body);
  expect(await facets("field=name")).toEqual({
    items: [
      { value: "ask", count: 3 },
      { value: "tell", count: 1 },
    ],
    looked_at: null,
  });
  expect((await facets("field=session&sort=newest")).items.map(({ value }) => value)).toEqual(["s-3", "s-2", "s 1"]);
  expect((await facets("field=user&prefix=AN")).items.map(({ value }) => value)).toEqual(["ann", "Anton"]);
  expect((await facets("field=model&q=status:failure%20colour:red")).items).toEqual([{ value: "m-1", count: 1 }]);
  expect((await facets("field=user&prefix=%25")).items).toEqual([]);
  const statuses = await facets("field=status");
  expect(statuses.items).toContainEqual({ value: "failure", count: 1 });
  expect(statuses.items.reduce((sum, { count }) => sum + count, 0)).toBe(4);
});

test("what is kept no longer is in no list, facet or group", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "kept" });
  await writeEvents(database, exploredRun(createProducer(project), { name: "old", seconds: 1, session: "gone", user: "gone" }, 0));
  expect((await api.get(`/api/v1/projects/${project}/sessions`)).body["items"]).toHaveLength(1);
  for (const table of ["observations", "payloads"]) {
    await define(database, `create table observability.${table}_20261001 partition of observability.${table} for values in ('2026-10-01')`);
    await database.pool.query(`update observability.${table} set day = '2026-10-01' where project_id = $1`, [project]);
  }
  await database.pool.query("update observability.traces set day = '2026-10-01' where project_id = $1", [project]);
  await database.pool.query("update observability.projects set retention_days = 1 where id = $1", [project]);
  await sweepRetention(database.query);
  for (const path of ["traces", "traces?q=user:gone", "sessions", "users", "traces/facets?field=user"]) {
    expect((await api.get(`/api/v1/projects/${project}/${path}`)).body["items"], path).toEqual([]);
  }
});

test("a view is its author's own until it is shared, and then only they and the project's owners change it", async () => {
  const saved = { name: "Failures", query: "status:failure", sort: "cost", order: "asc", columns: ["cost"], shared: false };
  const made = await api.post(`${base}/views`, saved, "tenant-1:member");
  expect(made.status).toBe(201);
  const view = viewSchema.parse(made.body);
  expect(view).toMatchObject({ ...saved, can_change: true });
  expect(await viewsOf("tenant-1:member")).toEqual(["Failures"]);
  expect((await api.patch(`${base}/views/${view.id}`, { shared: true, name: "All failures" })).body).toMatchObject({
    ...saved,
    shared: true,
    name: "All failures",
  });
  expect(await viewsOf("tenant-1:admin")).toEqual(["All failures"]);
  expect(await api.post(`${base}/views`, { ...saved, query: "colour:red" })).toMatchObject({
    status: 400,
    body: { error: "invalid_query" },
  });
  for (const [url, status] of [
    [`${base}/views/${view.id}`, 204],
    [`${base}/views/${view.id}`, 404],
    [`/api/v1/projects/${uuidv7()}/views/${view.id}`, 404],
  ] as const) {
    expect((await api.server.inject({ method: "DELETE", url, headers: { authorization: "Bearer tenant-1:member" } })).statusCode).toBe(
      status,
    );
  }
});

test("who has saved as many views as they may takes none away from others", async () => {
  await database.pool.query(
    `insert into observability.views (id, project_id, author, name, query, sort, sort_order, columns, is_shared)
     select gen_random_uuid(), $1, 'many', 'many ' || place, '', 'started', 'desc', '{}', false from generate_series(1, 99) as place`,
    [projectId],
  );
  const saved = { name: "One more", query: "", sort: "started", order: "desc", columns: [], shared: true };
  expect((await api.post(`${base}/views`, saved, "tenant-1:member:many")).status).toBe(201);
  expect(await api.post(`${base}/views`, saved, "tenant-1:member:many")).toMatchObject({ status: 409, body: { error: "too_many_views" } });
  expect((await api.post(`${base}/views`, saved, "tenant-1:member:other")).status).toBe(201);
  expect(await viewsOf("tenant-1:member:many")).toHaveLength(101);
  expect(await viewsOf("tenant-1:member:third")).toEqual(["One more", "One more"]);
});

async function viewsOf(token: string): Promise<readonly string[]> {
  return viewListSchema.parse((await api.get(`${base}/views`, token)).body).items.map(({ name }) => name);
}

async function groups(path: string) {
  return traceGroupPageSchema.parse((await api.get(`${base}/${path}`)).body);
}
