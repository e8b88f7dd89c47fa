import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { metricsSchema, tracePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;
let ids: readonly [string, string, string];

const [OWNER, EDITOR] = ["tenant-1:admin", "tenant-1:member"];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  ids = [uuidv7(), uuidv7(), uuidv7()];
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(database, ids.flatMap(eventsOf));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("tags that people give", () => {
  test("are found and shown like the application's, of which they take none away", async () => {
    const [one, two] = ids;
    expect(await send("tag", { trace_ids: [one, two, uuidv7()], add: ["to review", "own"] }, EDITOR)).toEqual([200, { traces: 2 }]);
    expect((await found('tag:"to review"')).map(({ tags }) => tags)).toEqual([
      ["own", "to review"],
      ["own", "to review"],
    ]);
    expect(await send("tag", { trace_ids: [one], remove: ["to review", "own"], add: ["done"] })).toEqual([200, { traces: 1 }]);
    expect((await found("")).map(({ tags }) => tags)).toEqual(expect.arrayContaining([["done", "own"], ["own", "to review"], ["own"]]));
  });

  test("stay when the trace's events come again", async () => {
    await send("tag", { trace_ids: ids, add: ["kept"] });
    await writeEvents(database, ids.flatMap(eventsOf));
    expect(await found("tag:kept")).toHaveLength(3);
  });
});

test("traces get the same score, by whoever gives it", async () => {
  expect(await send("score", { trace_ids: ids.slice(1), name: "reviewed", value: 0.5, comment: "checked" }, EDITOR)).toEqual([
    200,
    { traces: 2 },
  ]);
  expect(await found("score.reviewed:0.5")).toHaveLength(2);
  const { rows } = await database.pool.query(
    "select author, comment from observability.scores where project_id = $1 and name = 'reviewed'",
    [projectId],
  );
  expect(rows).toEqual(Array.from({ length: 2 }, () => ({ author: "user-1", comment: "checked" })));
});

test("a score that is given again after a stop half-way replaces one's own, and nobody else's", async () => {
  const again = { trace_ids: ids, name: "reviewed", value: 0.9 };
  await send("score", { ...again, trace_ids: ids.slice(1), value: 0.5, comment: "checked" }, EDITOR);
  expect(await found("score.reviewed:0.5")).toHaveLength(2);
  expect(await send("score", again, EDITOR)).toEqual([200, { traces: 3 }]);
  expect(await found("score.reviewed:0.9")).toHaveLength(3);
  expect(await send("score", again, "tenant-1:member:user-2")).toEqual([200, { traces: 3 }]);
  const { rows } = await database.pool.query(
    `select author, count(*)::int, max(value) as value, max(comment) as comment from observability.scores
     where project_id = $1 and name = 'reviewed' group by author order by author`,
    [projectId],
  );
  expect(rows).toEqual(["user-1", "user-2"].map((author) => ({ author, count: 3, value: 0.9, comment: null })));
  const { status, body } = await api.get(`/api/v1/projects/${projectId}/scores?name=reviewed&limit=50`);
  expect([status, body]).toMatchObject([200, { items: { length: 6 } }]);
});

test("deleted traces leave nothing: no row, no group and no figure", async () => {
  await found("");
  expect((await metrics()).traces.count).toBe(3);
  const [one, two, three] = ids;
  await send("score", { trace_ids: [one], name: "helpful", value: 1 });
  expect(await send("delete", { trace_ids: [one, two] })).toEqual([200, { traces: 2 }]);
  expect((await found("")).map(({ id }) => id)).toEqual([three]);
  expect(await metrics()).toMatchObject({ traces: { count: 1 }, observations: { count: 3 } });
  for (const table of ["observations", "payloads", "scores"]) {
    const { rows } = await database.pool.query(`select distinct trace_id from observability.${table} where project_id = $1`, [projectId]);
    expect([table, rows]).toEqual([table, [{ trace_id: three }]]);
  }
  expect((await api.get(`/api/v1/projects/${projectId}/traces/facets?field=tag`)).body).toMatchObject({
    items: [{ value: "own", count: 1 }],
  });
});

test.each(["tag", "score", "delete"])("what is of another project is out of reach of %s", async (action) => {
  const other = uuidv7();
  await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "other" });
  const body = { trace_ids: ids, add: ["theirs"], name: "theirs", value: 1 };
  expect(await api.post(`/api/v1/projects/${other}/traces/${action}`, body, OWNER)).toMatchObject({ status: 200, body: { traces: 0 } });
  expect((await api.post(url(action), body, "tenant-2:admin")).status).toBe(404);
  expect(await found("")).toHaveLength(3);
  expect(await found("tag:theirs")).toHaveLength(0);
});

test("an editor deletes no traces, and nobody more than 200 at once", async () => {
  expect((await send("delete", { trace_ids: ids }, EDITOR))[0]).toBe(403);
  expect((await send("delete", { trace_ids: Array.from({ length: 201 }, () => uuidv7()) }))[0]).toBe(400);
  expect(await found("")).toHaveLength(3);
});

function eventsOf(traceId: string) {
  return agentRun(producer, traceId).map((event) =>
    event.type === "trace.start" ? { ...event, body: { ...event.body, tags: ["own"] } } : event,
  );
}

function url(action: string): string {
  return `/api/v1/projects/${projectId}/traces/${action}`;
}

async function send(action: string, body: object, token = OWNER) {
  const { status, body: answer } = await api.post(url(action), body, token);
  return [status, answer];
}

async function found(q: string) {
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces?q=${encodeURIComponent(q)}`);
  return tracePageSchema.parse(body).items;
}

async function metrics() {
  while (await countMarkedHours(database.query)) {
    // The hours that are left.
  }
  const { body } = await api.get(`/api/v1/projects/${projectId}/metrics?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z`);
  return metricsSchema.parse(body).total;
}
