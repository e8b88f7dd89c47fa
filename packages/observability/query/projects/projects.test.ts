import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deadLetterPageSchema, projectPageSchema, projectSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "#testing/agent-run.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(() => clearTables(database));
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("projects", () => {
  test("are made with a UUID, read by it, and listed to their tenant only", async () => {
    const made = await api.post("/api/v1/projects", { name: "  Support  " });
    expect(made).toMatchObject({ status: 201, body: { name: "Support", recent_traces: 0, last_trace_at: null } });
    const { id } = projectSchema.parse(made.body);
    expect(await api.get(`/api/v1/projects/${id}`)).toEqual({ status: 200, body: made.body });
    expect((await api.get("/api/v1/projects")).body).toEqual({ items: [made.body], next_cursor: null });
    expect((await api.get("/api/v1/projects", "tenant-2:admin")).body).toEqual({ items: [], next_cursor: null });
  });

  test("are renamed and told how long to keep traces, by owners and the operator; what is left out stays", async () => {
    const { id } = projectSchema.parse((await api.post("/api/v1/projects", { name: "Support", access: "tenant" })).body);
    const url = `/api/v1/projects/${id}`;
    expect(await api.patch(url, { retention_days: 30 }, "tenant-1:admin")).toMatchObject({ status: 200, body: { retention_days: 30 } });
    expect((await api.patch(url, { name: "Help" }, API_KEY)).body).toMatchObject({ name: "Help", retention_days: 30 });
    expect((await api.patch(url, { retention_days: null }, "tenant-1:admin")).body).toMatchObject({ name: "Help", retention_days: null });
    expect((await api.patch(url, {}, "tenant-1:admin")).body).toMatchObject({ name: "Help", retention_days: null });
    expect(await api.patch(url, { retention_days: 1 }, "tenant-1:member:other")).toMatchObject({
      status: 403,
      body: { error: "role_missing" },
    });
    expect(await api.patch(url, { retention_days: 1 }, "tenant-2:admin")).toMatchObject({
      status: 404,
      body: { error: "project_not_found" },
    });
    expect((await api.get(url)).body).toMatchObject({ name: "Help", retention_days: null });
  });

  test.each([{ retention_days: 0 }, { retention_days: 1.5 }, { retention_days: 36_501 }, { retention_days: "7" }, { name: " " }])(
    "are not changed to %j",
    async (body) => {
      const { id } = projectSchema.parse((await api.post("/api/v1/projects", { name: "Support" })).body);
      expect(await api.patch(`/api/v1/projects/${id}`, body, "tenant-1:admin")).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
    },
  );

  test.each([{}, { name: "" }, { name: "   " }, { name: "n".repeat(201) }, { name: 1 }])("are not made of %j", async (body) => {
    expect(await api.post("/api/v1/projects", body)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [{ path: "name" }] },
    });
  });

  test("are listed page by page, newest first", async () => {
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      ids.push(projectSchema.parse((await api.post("/api/v1/projects", { name })).body).id);
    }
    const first = projectPageSchema.parse((await api.get("/api/v1/projects?limit=2")).body);
    const second = projectPageSchema.parse((await api.get(`/api/v1/projects?limit=2&cursor=${first.next_cursor}`)).body);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(second.next_cursor).toBeNull();
  });

  test("count the traces of the last 24 hours and name the last one's time", async () => {
    const { id } = projectSchema.parse((await api.post("/api/v1/projects", { name: "Support" })).body);
    const producer = createProducer(id);
    const now = new Date();
    const times = [now, new Date(now.getTime() - 60_000), new Date(now.getTime() - 25 * 3_600_000)];
    await writeEvents(
      database,
      times.map((time) => producer.event("trace.start", { trace_id: uuidv7(), name: "t", started_at: time.toISOString() })),
    );
    expect((await api.get(`/api/v1/projects/${id}`)).body).toMatchObject({ recent_traces: 2, last_trace_at: now.toISOString() });
  });
});

describe("dead letters", () => {
  test("are all shown to the operator, to others those of the projects they own", async () => {
    const { id } = projectSchema.parse((await api.post("/api/v1/projects", { name: "Support" })).body);
    await setAside("1-0", id, 10);
    await setAside("2-0", uuidv7(), 5_000);
    await setAside("3-0", null, 10);
    expect(await entryIds(API_KEY)).toEqual(["3-0", "2-0", "1-0"]);
    expect(await entryIds("tenant-1:admin")).toEqual(["1-0"]);
    expect(await entryIds("tenant-2:admin")).toEqual([]);
    expect(await entryIds("tenant-1:member")).toEqual(["1-0"]);
    expect(await entryIds("tenant-1:member:other")).toEqual([]);
    expect(await api.get("/api/v1/dead-letters", `studio_${"ac".repeat(32)}`)).toMatchObject({
      status: 401,
      body: { error: "auth_failed" },
    });
  });

  test("show the first 4,000 characters of an entry, to the operator by X-API-Key too", async () => {
    await setAside("1-0", null, 5_000);
    const answer = await api.server.inject({ url: "/api/v1/dead-letters", headers: { "x-api-key": API_KEY } });
    const [letter] = deadLetterPageSchema.parse(answer.json()).items;
    expect(letter).toMatchObject({ entry: "x".repeat(4_000), entry_length: 5_000, reason: "because" });
  });
});

test("the API_KEY opens nothing that belongs to a tenant", async () => {
  expect(await api.get("/api/v1/projects", API_KEY)).toMatchObject({ status: 401, body: { error: "auth_failed" } });
});

async function setAside(entryId: string, projectId: string | null, length: number): Promise<void> {
  const row = { id: uuidv7(), stream: "s", entry_id: entryId, project_id: projectId, reason: "because", entry: "x".repeat(length) };
  await database.query.insertInto("observability.dead_letters").values(row).execute();
}

async function entryIds(token: string): Promise<readonly string[]> {
  return deadLetterPageSchema.parse((await api.get("/api/v1/dead-letters", token)).body).items.map((item) => item.entry_id);
}
