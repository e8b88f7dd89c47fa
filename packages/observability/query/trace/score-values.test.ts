import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createdApiKeySchema, scorePageSchema, tracePageSchema, type ApiKeyScope } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const [projectId, traceId] = [uuidv7(), uuidv7()];
const project = `/api/v1/projects/${projectId}`;
const producer = createProducer(projectId);

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(database, agentRun(producer, traceId));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a key with the scope scores gives scores as the application, to its own project alone", async () => {
  const key = await makeKey(["scores"]);
  const score = { trace_id: traceId, name: "by-key", value: 0.5 };
  expect(await api.post(`${project}/scores`, score, key)).toMatchObject({ status: 201, body: { author: null, value: 0.5 } });
  expect(await listed("by-key")).toMatchObject([{ author: null, value: 0.5 }]);
  const other = uuidv7();
  await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "other" });
  expect((await api.post(`/api/v1/projects/${other}/scores`, score, key)).status).toBe(404);
  expect((await api.post(`${project}/scores`, { ...score, trace_id: uuidv7() }, key)).status).toBe(404);
  expect((await api.get(`${project}/scores`, key)).status).toBe(403);
  const refused = { status: 403, body: { error: "scope_missing" } };
  expect(await api.post(`${project}/scores`, score, await makeKey(["ingest", "read"]))).toMatchObject(refused);
});

test.each([
  [{ value: 0.25 }, { value: 0.25, text_value: null, data_type: "number" }],
  [{ value: true }, { value: 1, text_value: null, data_type: "boolean" }],
  [
    { value: 0, data_type: "boolean" },
    { value: 0, text_value: null, data_type: "boolean" },
  ],
  [{ text_value: "angry" }, { value: null, text_value: "angry", data_type: "category" }],
  [
    { text_value: "long ".repeat(100).trim(), data_type: "text" },
    { value: null, data_type: "text" },
  ],
] as const)("a score of %j is kept with its type", async (given, kept) => {
  const name = uuidv7();
  const { status, body } = await api.post(`${project}/scores`, { trace_id: traceId, name, ...given });
  expect({ status, body }).toMatchObject({ status: 201, body: { ...kept, source: "person", author: "user-1" } });
  expect(await listed(name)).toEqual([body]);
});

test.each([
  {},
  { value: 1, text_value: "good" },
  { value: 2, data_type: "boolean" },
  { value: true, data_type: "number" },
  { value: 1, data_type: "category" },
  { text_value: "good", data_type: "number" },
  { text_value: "c".repeat(201) },
])("a score of %j is refused, and says what to do", async (given) => {
  const refused = { status: 400, body: { error: "invalid_score" } };
  expect(await api.post(`${project}/scores`, { trace_id: traceId, name: "n", ...given })).toMatchObject(refused);
  expect(await api.post(`${project}/traces/score`, { trace_ids: [traceId], name: "n", ...given })).toMatchObject(refused);
});

test("events give scores of each type; a type that its value does not fit costs no score", async () => {
  const given = [
    { value: 1, data_type: "boolean" },
    { value: false },
    { value: 7, data_type: "boolean" },
    { value: 3, data_type: "stars" },
    { text_value: "angry" },
    { text_value: "a ".repeat(300), data_type: "category" },
  ];
  await writeEvents(
    database,
    given.map((value) => producer.event("score", { trace_id: traceId, name: "typed", ...value } as never)),
  );
  const kept = (await listed("typed")).map(({ value, data_type: type, source }) => [value, type, source]).toReversed();
  expect(kept).toEqual([
    [1, "boolean", "application"],
    [0, "boolean", "application"],
    [7, "number", "application"],
    [3, "number", "application"],
    [null, "category", "application"],
    [null, "text", "application"],
  ]);
});

test("categories and texts have no mean, many traces are scored with any type", async () => {
  const [id, name] = [uuidv7(), "tone"];
  await writeEvents(database, agentRun(producer, id));
  for (const given of [{ value: true }, { value: false }, { text_value: "angry" }]) {
    await api.post(`${project}/scores`, { trace_id: id, name, ...given });
  }
  expect((await api.post(`${project}/traces/score`, { trace_ids: [id], name: "mood", text_value: "calm" })).status).toBe(200);
  expect(await listed("mood")).toMatchObject([{ text_value: "calm", data_type: "category", source: "person" }]);
  const { items } = tracePageSchema.parse((await api.get(`${project}/traces?q=score.tone:0.5`)).body);
  expect(items).toMatchObject([{ id, scores: [{ name: "helpful" }, { name, value: 0.5, count: 2 }] }]);
});

async function makeKey(scopes: readonly ApiKeyScope[]): Promise<string> {
  return createdApiKeySchema.parse((await api.post(`${project}/keys`, { name: "judge", scopes }, "tenant-1:admin")).body).key;
}

async function listed(name: string) {
  return scorePageSchema.parse((await api.get(`${project}/scores?name=${name}`)).body).items;
}
