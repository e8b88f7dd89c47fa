import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createdApiKeySchema, scorePageSchema, type ApiKeyScope } from "#contract.ts";
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

async function makeKey(scopes: readonly ApiKeyScope[]): Promise<string> {
  return createdApiKeySchema.parse((await api.post(`${project}/keys`, { name: "judge", scopes }, "tenant-1:admin")).body).key;
}

async function listed(name: string) {
  return scorePageSchema.parse((await api.get(`${project}/scores?name=${name}`)).body).items;
}
