import { createOddDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { priceListSchema, traceSchema, type PutPriceRequest } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { readDefaultPrices } from "#prices/default-prices.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;

beforeAll(async () => {
  database = await createOddDatabase<ObservabilitySchema>({ settings: ["DateStyle to 'German'"] }, observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await seedDefaultPrices(database.query, await readDefaultPrices());
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

describe("the cost of a model call", () => {
  test("is that of its uncached input, cache reads, cache writes and output, each at its own price", async () => {
    const traceId = await call("claude-sonnet-4-5-20250929", {
      input_tokens: 1_000_000,
      cache_read_tokens: 600_000,
      cache_write_tokens: 100_000,
      output_tokens: 200_000,
    });
    expect(await costsOf(traceId)).toEqual({ trace: close(0.9 + 0.18 + 0.375 + 3), calls: [close(0.9 + 0.18 + 0.375 + 3)] });
  });

  test.each([
    ["gpt-4o", 2.5],
    ["GPT-4o", 2.5],
    ["GEMINI-2.5-PRO", 1.25],
    ["gpt-4o-2024-08-06", 2.5],
    ["gpt-4o-2024-05-13", 5],
    ["openai/gpt-4o-mini", 0.15],
    ["models/gemini-2.5-pro", 1.25],
    ["openrouter/anthropic/claude-sonnet-4.5", 3],
    ["ft:gpt-4o-mini:acme::a1b2", 0.15],
    ["openai/ft:gpt-4o-mini-2024-07-18:acme:shop:a1b2", 0.15],
    ["claude-sonnet-4@20250514", 3],
    ["claude-3-5-haiku-latest", 0.8],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", 1],
  ])("of %s is found under the model's name", async (model, dollars) => {
    expect(await costsOf(await call(model, { input_tokens: 1_000_000 }))).toMatchObject({ trace: close(dollars) });
  });

  test.each(["gpt-4o-clone", "my-own-model", "", "-latest"])("of %j, which nobody gave a price, is null and not a guess", async (model) => {
    expect(await costsOf(await call(model, { input_tokens: 1_000_000 }))).toEqual({ trace: null, calls: [null] });
  });

  test("is null for a step that used no tokens", async () => {
    expect(await costsOf(await call("gpt-4o", {}))).toEqual({ trace: null, calls: [null] });
  });

  test("counts input that the provider reported beside its cache instead of with it", async () => {
    const traceId = await call("gpt-4o", { input_tokens: 10, cache_read_tokens: 90, output_tokens: 5 });
    const trace = await read(traceId);
    expect(trace.observation_list[0]).toMatchObject({ input_tokens: 100, cache_read_tokens: 90, output_tokens: 5 });
  });
});

describe("a project's own prices", () => {
  test("go before the default ones, from their hour on, also for calls that are stored already", async () => {
    const [before, after] = [await call("gpt-4o", { input_tokens: 1_000_000 }, 9), await call("gpt-4o", { input_tokens: 1_000_000 }, 10)];
    await put({ model: "GPT-4o", input: 7, output: 8, valid_from: "2026-11-21T10:20:00Z" });
    expect((await costsOf(before)).trace).toEqual(close(2.5));
    expect((await costsOf(after)).trace).toEqual(close(7));
    await put({ model: "gpt-4o", input: 1, output: 8, valid_from: "2026-11-21T10:00:00Z" });
    expect((await costsOf(after)).trace).toEqual(close(1));
    expect(await remove("gpt-4o", "2026-11-21T10:00:00Z")).toBe(204);
    expect((await costsOf(after)).trace).toEqual(close(2.5));
    expect(await remove("gpt-4o", "2026-11-21T10:00:00Z")).toBe(404);
  });

  test("are listed before the defaults with where those were read", async () => {
    await put({ model: "my-own-model", input: 1, output: 2, cache_read: 0, valid_from: "2026-11-21T10:00:00Z" });
    const { items } = priceListSchema.parse((await api.get(url())).body);
    expect(items.filter(({ model }) => model === "my-own-model")).toEqual([
      {
        model: "my-own-model",
        input: 1,
        output: 2,
        cache_read: 0,
        cache_write: null,
        valid_from: "2026-11-21T10:00:00.000Z",
        source: null,
      },
    ]);
    expect(items.find(({ model }) => model === "gpt-4o")?.source).toMatch(/compare with https:.*, \d{4}-\d\d-\d\d$/);
  });

  test("count for no other project", async () => {
    const theirs = uuidv7();
    await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "theirs" });
    await put({ model: "gpt-4o", input: 7, output: 8, valid_from: "1970-01-01T00:00:00Z" });
    const producer = createProducer(theirs);
    const traceId = uuidv7();
    await writeEvents(database, callOf(producer, traceId, "gpt-4o", { input_tokens: 1_000_000 }, 10));
    const { body } = await api.get(`/api/v1/traces/${traceId}`, "tenant-2:member");
    expect(body["cost"]).toEqual(close(2.5));
  });

  test("are changed by admins and the operator of the project's tenant only", async () => {
    const price = { model: "m", input: 1, output: 1 };
    expect(await api.put(url(), price)).toMatchObject({ status: 403 });
    expect(await api.put(url(), price, "tenant-2:admin")).toMatchObject({ status: 404, body: { error: "project_not_found" } });
    expect((await api.get(url(), "tenant-2:admin")).status).toBe(404);
    expect((await api.put(url(), price, API_KEY)).status).toBe(204);
  });

  test.each([
    { model: "", input: 1, output: 1 },
    { model: "m", input: -1, output: 1 },
    { model: "m", input: 1 },
    { model: "m", input: 1, output: 1, valid_from: "yesterday" },
    { model: "a\0", input: 1, output: 1 },
  ])("are not %j", async (price) => {
    expect(await api.put(url(), price, "tenant-1:admin")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });
});

test("seeding again changes nothing, and what the file says now replaces what it said", async () => {
  await seedDefaultPrices(database.query, [{ model: "seeded", input: 1, output: 1, source: "s" }]);
  await seedDefaultPrices(database.query, [{ model: "seeded", input: 2, output: 1, source: "s" }]);
  const { items } = priceListSchema.parse((await api.get(url())).body);
  expect(items.filter(({ model }) => model === "seeded")).toMatchObject([{ input: 2 }]);
});

type Usage = NonNullable<Extract<ReturnType<typeof callOf>[number], { type: "observation.end" }>["body"]["usage"]>;

function callOf(producer: ReturnType<typeof createProducer>, traceId: string, model: string, usage: object, hour: number) {
  const ids = { trace_id: traceId, observation_id: uuidv7() };
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, hour, minute)).toISOString();
  return [
    producer.event("trace.start", { trace_id: traceId, name: "run", started_at: at(30) }),
    producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at(30), model }),
    producer.event("observation.end", { ...ids, ended_at: at(31), duration_ms: 60_000, status: "success", usage: { ...usage } }),
  ];
}

async function call(model: string, usage: Usage, hour = 10): Promise<string> {
  const traceId = uuidv7();
  await writeEvents(database, callOf(createProducer(projectId), traceId, model, usage, hour));
  return traceId;
}

async function read(traceId: string) {
  return traceSchema.parse((await api.get(`/api/v1/traces/${traceId}`)).body);
}

async function costsOf(traceId: string) {
  const trace = await read(traceId);
  return { trace: trace.cost, calls: trace.observation_list.map(({ cost }) => cost) };
}

function close(dollars: number): number {
  return expect.closeTo(dollars, 9) as number;
}

function url(): string {
  return `/api/v1/projects/${projectId}/prices`;
}

async function put(price: PutPriceRequest): Promise<void> {
  expect((await api.put(url(), price, "tenant-1:admin")).status).toBe(204);
}

async function remove(model: string, validFrom: string): Promise<number> {
  const query = new URLSearchParams({ model, valid_from: validFrom });
  const answer = await api.server.inject({
    method: "DELETE",
    url: `${url()}?${query.toString()}`,
    headers: { authorization: "Bearer tenant-1:admin" },
  });
  return answer.statusCode;
}
