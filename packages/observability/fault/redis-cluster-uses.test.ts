import { systemClock } from "@sightline/foundation/clock";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { createRedis } from "@sightline/foundation/redis";
import { startRedisCluster, type RedisCluster } from "@sightline/foundation/testing/redis-cluster";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { partitionKeys } from "#events/partitions.ts";
import { createStreamConsumer, type Consumer } from "#ingest/stream-consumer.ts";
import { defaultTuning } from "#ingest/tuning.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { createCommitFeed } from "#query/live/commit-feed.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";

const STREAMS = 4;
const stream = "observability:events";
const heartbeatKey = "studio:consumer:heartbeat";
const projectId = uuidv7();
const patient = { timeout: 20_000 };

let cluster: RedisCluster;
let database: TestDatabase<ObservabilitySchema>;
let url: string;
let api: ApiRig;
let consumer: Consumer;
beforeAll(async () => {
  [cluster, database] = await Promise.all([startRedisCluster(0), createTestDatabase<ObservabilitySchema>(observabilityMigrations)]);
  // With a password, as a cluster has in earnest.
  for (const node of cluster.nodes) {
    const { client, close } = createRedis({ url: node.url, name: "test", log: silentLog });
    await client.connect();
    await client.call("CONFIG", "SET", "requirepass", "p@ss,word");
    await close();
  }
  url = cluster.url.replace("redis://", `redis://:${encodeURIComponent("p@ss,word")}@`);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  api = await createApiRig({ database, redisUrl: url, stream, streams: STREAMS, heartbeatKey });
  const config = {
    OBSERVABILITY_ENABLED: true,
    OBSERVABILITY_REDIS_URL: url,
    OBSERVABILITY_STREAM_NAME: stream,
    OBSERVABILITY_STREAMS: STREAMS,
    OBSERVABILITY_GROUP_NAME: "observability",
    OBSERVABILITY_CONSUMER_NAME: "consumer",
    OBSERVABILITY_BATCH_SIZE: 100,
  };
  const options = { config, database, log: silentLog, clock: systemClock, metrics: createMetrics("test") };
  consumer = createStreamConsumer(options, heartbeatKey, { ...defaultTuning, blockMs: 100 });
});
afterAll(async () => {
  await consumer.stop();
  await api.close();
  await cluster.remove();
  await database.drop();
});

test("spans of OpenTelemetry wait on a partition, are written, and what was committed is heard of by live views", async () => {
  const { body } = await api.post(`/api/v1/projects/${projectId}/keys`, { name: "agent", scopes: ["ingest"] }, "tenant-1:admin");
  const answer = await api.server.inject({
    method: "POST",
    url: "/v1/traces",
    headers: { "content-type": "application/json", "x-api-key": String(body["key"]) },
    payload: jsonRequest([jsonSpan("00f067aa0ba902b7", 1)]),
  });
  expect(answer.statusCode).toBe(200);
  expect(await metric("studio_stream_length")).toBeGreaterThan(1);
  const feed = createCommitFeed({ url, streamName: stream, log: silentLog });
  const heard: string[] = [];
  feed.onCommit(({ projects }) => heard.push(...projects.map(({ id }) => id)));
  await feed.start();
  await vi.waitFor(() => expect(feed.isConnected()).toBe(true), patient);
  await consumer.start();
  await vi.waitFor(async () => expect(await metric("studio_stream_length")).toBe(0), patient);
  await vi.waitFor(() => expect(heard).toContain(projectId), patient);
  expect((await api.get(`/api/v1/projects/${projectId}/traces`, "tenant-1:admin")).body["items"]).toHaveLength(1);
  await feed.stop();
});

test("health is that of the whole cluster", async () => {
  await vi.waitFor(async () => expect(await health()).toMatchObject({ status: "healthy" }), patient);
  expect(await metric("studio_redis_memory_bytes")).toBeGreaterThan(100_000);
  expect(await metric("studio_consumer_heartbeat")).toBe(1);
  const [, lost = ""] = partitionKeys(stream, STREAMS);
  // The nodes ask for a password by now, so it is the one of a connection with it that says where the key is.
  const { client, close } = createRedis({ url, name: "test", log: silentLog });
  await client.connect();
  const slot = await client.cluster("KEYSLOT", lost);
  await close();
  await cluster.nodes[Math.floor(slot / Math.ceil(16_384 / 3))]?.kill();
  await vi.waitFor(
    async () => expect(await health()).toMatchObject({ status: "degraded", components: { redis: { status: "down" } } }),
    patient,
  );
  await vi.waitFor(async () => expect(await metric("studio_stream_length")).toBeNaN(), patient);
});

async function health(): Promise<object> {
  return (await api.get("/health/detailed", "")).body;
}

async function metric(name: string): Promise<number> {
  const { payload } = await api.server.inject({ url: "/metrics" });
  return Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(payload)?.[1]?.replace("Nan", "NaN"));
}
