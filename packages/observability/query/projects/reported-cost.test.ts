import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { metricsSchema, tracePageSchema, traceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await seedDefaultPrices(database.query, [{ model: "m-1", input: 2, output: 10, source: "test" }]);
});
beforeEach(async () => {
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const TOKENS = { input_tokens: 1_000_000, output_tokens: 0 };

test.each<[string, string, object, number | null]>([
  ["goes before a default price", "m-1", { ...TOKENS, cost: 0.5 }, 0.5],
  ["counts for a model without a price", "router-9", { ...TOKENS, cost: 0.5 }, 0.5],
  ["counts for a call without tokens", "router-9", { cost: 0.5 }, 0.5],
  ["counts as OpenRouter has it, among the provider's own usage", "router-9", { ...TOKENS, raw: { cost: 0.25 } }, 0.25],
  ["of nothing is none: libraries write it for models they don't know", "m-1", { ...TOKENS, cost: 0 }, 2],
  ["that is no number is none", "m-1", { ...TOKENS, raw: { cost: { total: 1 } } }, 2],
])("a reported cost %s", async (_name, model, usage, cost) => {
  const id = await run([{ model, usage }]);
  expect(await figures(id)).toEqual({ call: [cost], trace: cost, listed: cost, hour: cost });
});

test("reported and priced calls add up, before and after the model has a price of the project's own", async () => {
  const calls = [{ cost: 0.5 }, {}, { cost: 0.25 }].map((more) => ({ model: "m-1", usage: { ...TOKENS, ...more } }));
  const id = await run(calls);
  expect(await figures(id)).toEqual({ call: [0.5, 2, 0.25], trace: 2.75, listed: 2.75, hour: 2.75 });
  const price = { model: "m-1", input: 3, output: 3, valid_from: "2020-01-01T00:00:00Z" };
  expect((await api.put(`/api/v1/projects/${projectId}/prices`, price, "tenant-1:admin")).status).toBe(204);
  expect(await figures(id)).toEqual({ call: [3, 3, 3], trace: 9, listed: 9, hour: 9 });
  await api.server.inject({
    method: "DELETE",
    url: `/api/v1/projects/${projectId}/prices?model=m-1&valid_from=2020-01-01T00:00:00Z`,
    headers: { authorization: "Bearer tenant-1:admin" },
  });
  expect(await figures(id)).toEqual({ call: [0.5, 2, 0.25], trace: 2.75, listed: 2.75, hour: 2.75 });
});

async function run(calls: readonly { readonly model: string; readonly usage: object }[]): Promise<string> {
  const producer = createProducer(projectId);
  const id = uuidv7();
  const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: id, name: "run", started_at: at(0) }),
    ...calls.flatMap(({ model, usage }, index) => {
      const ids = { trace_id: id, observation_id: uuidv7() };
      return [
        producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at(index), model }),
        producer.event("observation.end", { ...ids, ended_at: at(index + 1), duration_ms: 1_000, status: "success", usage }),
      ];
    }),
  ]);
  await countMarkedHours(database.query);
  return id;
}

/** The answer of each reader of costs. */
async function figures(id: string) {
  const get = async (path: string) => (await api.get(`/api/v1/projects/${projectId}${path}`)).body;
  const trace = traceSchema.parse(await get(`/traces/${id}`));
  const [listed] = tracePageSchema.parse(await get("/traces?q=run")).items;
  const { total } = metricsSchema.parse(await get("/metrics?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z"));
  return { call: trace.observation_list.map(({ cost }) => cost), trace: trace.cost, listed: listed?.cost, hour: total.cost };
}
