import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportEndSchema, tracePageSchema, type ExportEnd, type TracePage } from "#contract.ts";
import { lockCounting } from "#counting/count-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { callTool } from "#testing/call-tool.ts";
import { exploredRun } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a new price changes what traces are sorted and found by", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "priced" });
  await writeEvents(database, exploredRun(createProducer(project), { name: "priced", seconds: 1, model: "own-1", tokens: 1_000 }, 0));
  expect((await list({ q: "has:cost" }, project)).items).toEqual([]);
  const price = { model: "own-1", input: 5, output: 5, valid_from: "2020-01-01T00:00:00Z" };
  expect((await api.put(`/api/v1/projects/${project}/prices`, price, "tenant-1:admin")).status).toBe(204);
  expect(await list({ q: "cost:0.005" }, project)).toMatchObject({ items: [{ name: "priced", cost: 0.005 }], is_cost_pending: false });
});

test("a call of which the tokens are of too many models to be kept apart gets its new price, too", async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "models" });
  const producer = createProducer(project);
  const traceId = uuidv7();
  const calls = Array.from({ length: 101 }, (_, at) => ({ trace_id: traceId, observation_id: uuidv7(), model: `own-${at}` }));
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: traceId, name: "many models", started_at: "2026-11-20T10:00:00Z" }),
    ...calls.flatMap(({ model, ...call }) => [
      producer.event("observation.start", {
        ...call,
        parent_id: null,
        kind: "llm",
        name: "call",
        model,
        started_at: "2026-11-20T10:00:00Z",
      }),
      producer.event("observation.end", {
        ...call,
        ended_at: "2026-11-20T10:00:01Z",
        duration_ms: 1_000,
        status: "success",
        usage: { input_tokens: 1_000, output_tokens: 0 },
      }),
    ]),
  ]);
  expect(await list({ q: "has:cost" }, project)).toMatchObject({ items: [] });
  const price = { model: "own-7", input: 5, output: 5, valid_from: "2020-01-01T00:00:00Z" };
  expect((await api.put(`/api/v1/projects/${project}/prices`, price, "tenant-1:admin")).status).toBe(204);
  await list({ q: "has:cost" }, project);
  expect(await list({ q: "has:cost" }, project)).toMatchObject({ items: [{ name: "many models", cost: 0.005 }] });
});

test("while another process counts and says nothing, what is counted is told, and that it is not all", needsRealPostgres, async () => {
  const project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "behind" });
  await writeEvents(database, exploredRun(createProducer(project), { name: "behind", seconds: 1, model: "gpt-4o", session: "s-1" }, 0));
  const [held, over] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const silent = database.query.transaction().execute(async (transaction) => {
    await lockCounting(transaction, project);
    held.resolve(undefined);
    await over.promise;
  });
  try {
    await held.promise;
    expect(await list({ q: "model:gpt*" }, project)).toMatchObject({ items: [], is_counting: true });
    expect(await list({}, project)).toMatchObject({ is_counting: false });
    expect(await callTool(database, "list_traces", { project, query: "model:gpt*" })).toContain("still being counted");
    expect(await exported(project)).toMatchObject({ complete: false, message: expect.stringContaining("being counted") });
  } finally {
    over.resolve(undefined);
    await silent;
  }
  expect(await list({ q: "model:gpt*" }, project)).toMatchObject({ items: [{ name: "behind" }], is_counting: false });
  expect(await callTool(database, "list_traces", { project, query: "model:gpt*" })).not.toContain("still being counted");
  expect(await exported(project)).toMatchObject({ complete: true, traces: 1 });
  const turns = await api.get(`/api/v1/projects/${project}/sessions/s-1/turns`);
  expect(turns.body).toMatchObject({ items: [{ name: "behind" }], is_counting: false });
});

async function list(query: Readonly<Record<string, string>>, project: string): Promise<TracePage> {
  return tracePageSchema.parse((await api.get(`/api/v1/projects/${project}/traces?${new URLSearchParams(query).toString()}`)).body);
}

async function exported(project: string): Promise<ExportEnd> {
  const url = `/api/v1/projects/${project}/export?q=model:gpt*`;
  const { body } = await api.server.inject({ url, headers: { authorization: "Bearer tenant-1:member" } });
  return exportEndSchema.parse(JSON.parse(body.trimEnd().split("\n").at(-1) ?? ""));
}
