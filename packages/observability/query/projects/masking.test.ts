import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";

const OWNER = "tenant-1:member:ann";
const patterns = [{ name: "cards", expression: String.raw`\b\d{13,16}\b` }];

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId: "tenant-1", name: "mine", ownerId: "ann" });
  url = `/api/v1/projects/${id}/masking`;
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("an owner sets the rules, and reads them with who changed them", async () => {
  expect(await api.get(url, OWNER)).toMatchObject({ status: 200, body: { keys: [], patterns: [], changed_at: null, changed_by: null } });
  const set = await api.put(url, { keys: [" password ", "api_*"], patterns }, OWNER);
  expect(set).toMatchObject({ status: 200, body: { keys: ["password", "api_*"], patterns, changed_by: "ann" } });
  expect(await api.get(url, OWNER)).toEqual(set);
  expect(await api.put(url, {}, OWNER)).toMatchObject({ status: 200, body: { keys: [], patterns: [] } });
});

test("an expression that can't be used is refused, says which and why, and changes nothing", async () => {
  await api.put(url, { keys: ["kept"] }, OWNER);
  const bad = { patterns: [...patterns, { name: "bad", expression: "(?<=a)b" }] };
  for (const answer of [await api.put(url, bad, OWNER), await api.post(`${url}/try`, { ...bad, sample: "x" }, OWNER)]) {
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_pattern", details: [{ path: "patterns.1.expression" }] } });
    expect(answer.body["message"]).toMatch(/^Pattern 2 can't be used: RE2 can't read the expression: /);
  }
  expect(await api.get(url, OWNER)).toMatchObject({ body: { keys: ["kept"] } });
});

test("more rules than a project may have are refused", async () => {
  expect(await api.put(url, { keys: Array.from({ length: 101 }, (_, index) => `k${index}`) }, OWNER)).toMatchObject({ status: 400 });
  expect(await api.put(url, { patterns: Array.from({ length: 51 }, () => patterns[0]) }, OWNER)).toMatchObject({ status: 400 });
});

test("a sample shows what rules make of it, as JSON and as text, and nothing is stored of them", async () => {
  await api.put(url, { keys: ["kept"] }, OWNER);
  const rules = { keys: ["password"], patterns };
  const tried = async (sample: string) => (await api.post(`${url}/try`, { ...rules, sample }, OWNER)).body["masked"];
  expect(await tried('{"password":"x","text":"4111111111111111 paid"}')).toBe('{"password":"[masked]","text":"[masked] paid"}');
  expect(await tried("paid with 4111111111111111")).toBe("paid with [masked]");
  expect(await api.get(url, OWNER)).toMatchObject({ body: { keys: ["kept"] } });
});
