import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createdApiKeySchema, MAX_SCORE_CONFIGS, scoreConfigListSchema } from "#contract.ts";
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
const owner = "tenant-1:admin";

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(database, agentRun(createProducer(projectId), traceId));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("owners say what scores mean, viewers read it, and it is taken back", async () => {
  const config = { name: "accuracy", data_type: "number", direction: "higher", minimum: 0, maximum: 1, target: 0.9 };
  expect(await put({ ...config, target: 0.5 })).toMatchObject({ status: 200, body: { target: 0.5 } });
  const { status, body } = await put(config);
  expect({ status, body }).toMatchObject({ status: 200, body: { ...config, categories: [], changed_by: "user-1" } });
  expect(await put(config, "tenant-1:member")).toMatchObject({ status: 403 });
  expect(await names()).toEqual(["accuracy"]);
  expect([await remove("other"), await remove("accuracy")]).toEqual([404, 204]);
  expect(await names()).toEqual([]);
});

test.each([
  { name: " " },
  { minimum: 2, maximum: 1 },
  { data_type: "boolean", maximum: 1 },
  { data_type: "number", categories: ["a"] },
  { data_type: "category", direction: "higher" },
  { data_type: "text", target: 1 },
])("a config is not %j", async (part) => {
  expect(await put({ name: "odd", ...part })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

const CONFIGS = [
  { name: "stars", minimum: 1, maximum: 5 },
  { name: "passed", data_type: "boolean", direction: "higher" },
  { name: "tone", data_type: "category", categories: ["calm", "angry"] },
  { name: "note", data_type: "text" },
];

test.each([
  ["stars", { value: 5 }, { value: 4 }, { value: 6 }],
  ["passed", { value: 1 }, { value: false }, { value: 0.5 }],
  ["tone", { text_value: "angry" }, { text_value: "calm", data_type: "category" }, { text_value: "sad" }],
  ["note", { text_value: "n".repeat(300) }, { text_value: "short" }, { value: 1 }],
] as const)("scores of %s are checked when people and keys give them", async (name, first, second, misfit) => {
  await put(CONFIGS.find((config) => config.name === name) ?? {});
  const key = createdApiKeySchema.parse((await api.post(`${project}/keys`, { name: "judge", scopes: ["scores"] }, owner)).body).key;
  const type = CONFIGS.find((config) => config.name === name)?.data_type ?? "number";
  for (const token of [owner, key]) {
    for (const given of [first, second]) {
      const answer = await api.post(`${project}/scores`, { trace_id: traceId, name, ...given }, token);
      expect(answer).toMatchObject({ status: 201, body: { data_type: type } });
    }
    const refused = await api.post(`${project}/scores`, { trace_id: traceId, name, ...misfit }, token);
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_score" } });
  }
  expect((await api.post(`${project}/traces/score`, { trace_ids: [traceId], name, ...misfit })).status).toBe(400);
  expect((await api.post(`${project}/traces/score`, { trace_ids: [traceId], name, ...first })).status).toBe(200);
});

test("a project has so many and no more, and those it has can be changed", async () => {
  const other = uuidv7();
  await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "full" });
  const url = `/api/v1/projects/${other}/score-configs`;
  await database.pool.query(
    `insert into observability.score_configs (project_id, name, data_type, categories, changed_at, changed_by)
     select $1, 'score-' || number, 'number', '{}', now(), 'test' from generate_series(1, ${MAX_SCORE_CONFIGS}) as number`,
    [other],
  );
  expect(await api.put(url, { name: "more" }, owner)).toMatchObject({ status: 409, body: { error: "too_many_score_configs" } });
  expect((await api.put(url, { name: "score-1", target: 1 }, owner)).status).toBe(200);
});

function put(config: object, token = owner) {
  return api.put(`${project}/score-configs`, config, token);
}

async function names(): Promise<readonly string[]> {
  return scoreConfigListSchema.parse((await api.get(`${project}/score-configs`)).body).items.map(({ name }) => name);
}

async function remove(name: string): Promise<number> {
  const url = `${project}/score-configs?name=${name}`;
  return (await api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${owner}` } })).statusCode;
}
