import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tracePageSchema, traceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { createGoneProducers, SILENT_MS, SILENT_WITHOUT_HEARTBEAT_MS } from "./gone-producers.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;
let now: number;
let lag: number;
let watch: ReturnType<typeof createGoneProducers>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  [now, lag] = [0, 0];
  watch = createGoneProducers({ query: database.query, readLag: async () => lag, clock: { now: () => new Date(now) }, log: silentLog });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const HEARTBEAT = "producer.heartbeat" as const;

test("a process that ended without a goodbye is told of, until it is heard of again; one that said it is not", async () => {
  const hello = { sdk: "sightline-sdk 0.5.0", runtime: "Python 3.12.1", host: "worker-3", pid: 4711 };
  const [polite, exporter] = [createProducer(projectId), createProducer(projectId)];
  await writeEvents(database, [
    producer.event("producer.hello", hello),
    polite.event("producer.hello", hello),
    polite.event("producer.bye", { last_seq: 2 }),
    exporter.event("producer.hello", { ...hello, sdk: "otlp" }),
  ]);
  const lost = async () => (await api.get(`/api/v1/projects/${projectId}/lost-producers`)).body;
  expect(await lost()).toEqual({ items: [], total: 0 });
  await silence(SILENT_WITHOUT_HEARTBEAT_MS + 1_000);
  await lookFor(SILENT_MS);
  expect(await lost()).toMatchObject({ items: [{ producer: hello }], total: 1 });
  await writeEvents(database, [producer.event(HEARTBEAT, { last_seq: 2 })]);
  expect(await lost()).toEqual({ items: [], total: 0 });
});

describe("what a producer left running", () => {
  test("shows as abandoned when nothing came from it for 90 seconds, and comes back with its next event", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events, producer.event(HEARTBEAT, { last_seq: 3 })]);
    await silence(SILENT_MS + 1_000);
    await lookFor(SILENT_MS);
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
    expect(await listed("abandoned")).toEqual([traceId]);
    expect(await listed("running")).toEqual([]);
    await writeEvents(database, [producer.event(HEARTBEAT, { last_seq: 4 })]);
    expect(await statusesOf(traceId)).toEqual(["running", "running"]);
    expect(await listed("abandoned")).toEqual([]);
    expect(await listed("running")).toEqual([traceId]);
  });

  test("shows as abandoned as soon as it has said goodbye", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events, producer.event("producer.bye", { last_seq: 3 })]);
    await watch.look();
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
  });

  test("runs while the producer is heard of, though the run itself says nothing", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, events);
    await silence(SILENT_MS + 1_000);
    await writeEvents(database, [producer.event(HEARTBEAT, { last_seq: 3 })]);
    await lookFor(SILENT_MS);
    expect(await statusesOf(traceId)).toEqual(["running", "running"]);
  });

  test("runs while events wait on the stream, or nobody knows, and 90 seconds after that", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events, producer.event(HEARTBEAT, { last_seq: 3 })]);
    await silence(10 * SILENT_MS);
    for (const behind of [60, Number.NaN]) {
      lag = behind;
      await lookFor(2 * SILENT_MS);
      expect(await statusesOf(traceId)).toEqual(["running", "running"]);
    }
    lag = 0;
    await lookFor(SILENT_MS - 20_000);
    expect(await statusesOf(traceId)).toEqual(["running", "running"]);
    await lookFor(40_000);
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
  });

  test("runs for an hour when its producer sends no heartbeats", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, events);
    await silence(SILENT_WITHOUT_HEARTBEAT_MS - 60_000);
    await lookFor(SILENT_MS);
    expect(await statusesOf(traceId)).toEqual(["running", "running"]);
    await silence(SILENT_WITHOUT_HEARTBEAT_MS + 60_000);
    await lookFor(SILENT_MS);
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
  });

  test.each(["@sightline/sdk 0.5.0", "sightline-sdk 0.5.0"])("shows so after 90 seconds where %s said hello and no more", async (sdk) => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events, producer.event("producer.hello", { sdk, runtime: "r", host: "h", pid: 1 })]);
    await silence(SILENT_MS + 1_000);
    await lookFor(SILENT_MS);
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
  });

  test("runs while another process works on a step of it", async () => {
    const { traceId, events } = begun();
    const other = createProducer(projectId);
    await writeEvents(database, [...events, producer.event("producer.bye", { last_seq: 3 }), step(other, traceId)]);
    await watch.look();
    expect(await statusesOf(traceId)).toEqual(["running", "abandoned", "running"]);
    await writeEvents(database, [other.event("producer.bye", { last_seq: 1 })]);
    await watch.look();
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned", "abandoned"]);
  });

  test("ends as it was told when the end comes late", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events, producer.event("producer.bye", { last_seq: 9 })]);
    await watch.look();
    await writeEvents(database, [producer.event("trace.end", { trace_id: traceId, ended_at: "2026-11-21T10:01:00Z", status: "success" })]);
    expect((await statusesOf(traceId))[0]).toBe("success");
  });

  test("is abandoned without its start, too", async () => {
    const { traceId, events } = begun();
    await writeEvents(database, [...events.slice(1), producer.event("producer.bye", { last_seq: 3 })]);
    await watch.look();
    expect(await statusesOf(traceId)).toEqual(["abandoned", "abandoned"]);
  });

  test("is untouched by a producer of another project that bears the same id", async () => {
    const { traceId, events } = begun();
    const theirs = uuidv7();
    await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "theirs" });
    await writeEvents(database, [...events, { ...producer.event("producer.bye", { last_seq: 3 }), project_id: theirs }]);
    await watch.look();
    expect(await statusesOf(traceId)).toEqual(["running", "running"]);
  });
});

function begun() {
  const traceId = uuidv7();
  const start = producer.event("trace.start", { trace_id: traceId, name: "run", started_at: "2026-11-21T10:00:00Z" });
  return { traceId, events: [start, step(producer, traceId)] };
}

function step(by: Producer, traceId: string) {
  const ids = { trace_id: traceId, observation_id: uuidv7() };
  const startedAt = `2026-11-21T10:00:0${by === producer ? 1 : 2}Z`;
  return by.event("observation.start", { ...ids, parent_id: null, kind: "node", name: "step", started_at: startedAt });
}

/** As if nothing had come from any producer for so long. */
async function silence(milliseconds: number): Promise<void> {
  await database.pool.query("update observability.producers set heard_at = now() - $1::float8 * interval '1 millisecond'", [milliseconds]);
}

/** Looks again and again for so long. */
async function lookFor(milliseconds: number): Promise<void> {
  for (const until = now + milliseconds; now <= until; now += 10_000) {
    await watch.look();
  }
}

/** Of the trace and of its steps. */
async function statusesOf(traceId: string): Promise<readonly string[]> {
  const trace = traceSchema.parse((await api.get(`/api/v1/traces/${traceId}`)).body);
  return [trace.status, ...trace.observation_list.map(({ status }) => status)];
}

async function listed(status: string): Promise<readonly string[]> {
  const { items } = tracePageSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces?status=${status}`)).body);
  return items.map(({ id }) => id);
}
