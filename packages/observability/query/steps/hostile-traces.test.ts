import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { traceSchema, tracePageSchema, type Trace } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const AT = "2026-11-21T10:00:00Z";

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let producer: Producer;
let traceId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
});
beforeEach(() => {
  producer = createProducer(rig.projectId);
  traceId = uuidv7();
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

test("thousands of graphs inside each other, in a circle, are read in seconds", async () => {
  const ids = Array.from({ length: 4_000 }, () => uuidv7());
  const start = (id: string, index: number) => ({
    trace_id: traceId,
    observation_id: id,
    parent_id: ids.at(index - 1) ?? null,
    kind: "graph" as const,
    name: "inner",
    started_at: AT,
  });
  await writeEvents(
    database,
    ids.map((id, index) => producer.event("observation.start", start(id, index))),
  );
  expect((await read()).observation_list).toHaveLength(ids.length);
});

test("steps with a thousand triggers each, and as many moves to them, are joined in seconds", async () => {
  const next = Array.from({ length: 1_000 }, (_, index) => ({ to: "x", via: "join" as const, trigger: `moved ${index}` }));
  const events = Array.from({ length: 100 }, (_, step) => {
    const ids = { trace_id: traceId, observation_id: uuidv7() };
    const triggers = Array.from({ length: 1_000 }, (_trigger, index) => `waited ${step} ${index}`);
    return [
      producer.event("observation.start", {
        ...ids,
        parent_id: null,
        kind: "node",
        name: "x",
        started_at: AT,
        graph_step: { task: `task ${step}`, step, triggers },
      }),
      producer.event("observation.end", { ...ids, ended_at: AT, duration_ms: 1, status: "success", next }),
    ];
  });
  await writeEvents(database, events.flat());
  const trace = await read();
  expect(trace.graph?.taken).toEqual([{ from: null, to: "x", via: "unknown", count: 100_000 }]);
});

test("a duration that leads to before the year zero hides no trace", async () => {
  await writeEvents(database, [
    producer.event("observation.end", {
      trace_id: traceId,
      observation_id: uuidv7(),
      ended_at: AT,
      duration_ms: 1e14,
      status: "success",
    }),
  ]);
  expect((await read()).observation_list).toMatchObject([{ duration_ms: 1e14 }]);
});

test("errors and graphs as long as an event may be are cut in answers, which say so", async () => {
  const error = "e".repeat(3_000_000);
  for (let index = 0; index < 8; index += 1) {
    const graphHash = `${traceId} ${index}`;
    await writeEvents(database, [
      producer.event("observation.end", {
        trace_id: traceId,
        observation_id: uuidv7(),
        ended_at: AT,
        duration_ms: 1,
        status: "failure",
        error,
      }),
      producer.event("graph", {
        graph_hash: graphHash,
        name: "g",
        nodes: Array.from({ length: 10_000 }, () => "n".repeat(400)),
        edges: [],
      }),
      producer.event("graph.enter", { trace_id: traceId, graph_id: null, graph_hash: graphHash, next: [] }),
    ]);
  }
  await writeEvents(database, [producer.event("trace.end", { trace_id: traceId, ended_at: AT, status: "failure", error })]);
  const trace = await read();
  expect(trace.truncated).toBe(true);
  expect(trace.error).toHaveLength(16_385);
  expect(JSON.stringify(trace).length).toBeLessThan(4_100_000);
  expect(trace.observation_list.map(({ error: shown }) => shown?.length)).toEqual(Array.from({ length: 8 }, () => 201));
  const page = tracePageSchema.parse((await api.get(`/api/v1/projects/${rig.projectId}/traces`)).body);
  expect(page.items.find(({ id }) => id === traceId)).toMatchObject({ status: "failure", failures: 8 });
});

async function read(): Promise<Trace> {
  return traceSchema.parse((await api.get(`/api/v1/projects/${rig.projectId}/traces/${traceId}`)).body);
}
