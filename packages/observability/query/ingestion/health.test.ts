import { randomUUID } from "node:crypto";
import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { detailedHealthSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createTcpProxy, type TcpProxy } from "@sightline/foundation/testing/tcp-proxy";

let real: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let databaseProxy: TcpProxy;
let redisProxy: TcpProxy;
let database: Database<ObservabilitySchema>;
let stream: string;
let heartbeatKey: string;
let api: ApiRig;

beforeEach(async () => {
  real = await createTestDatabase<ObservabilitySchema>();
  redis = await createTestRedis();
  [databaseProxy, redisProxy] = [await createTcpProxy(real.url), await createTcpProxy(redis.url)];
  database = createDatabase<ObservabilitySchema>({ url: databaseProxy.url, poolSize: 2, applicationName: "test", log: silentLog });
  [stream, heartbeatKey] = [`${redis.prefix}events`, `${redis.prefix}heartbeat`];
  await redis.client.set(heartbeatKey, "{}");
  api = await createApiRig({ database, redisUrl: redisProxy.url, stream, heartbeatKey });
});
afterEach(async () => {
  await api.close();
  await database.close();
  await Promise.all([databaseProxy.close(), redisProxy.close()]);
  await redis.client.del(stream, heartbeatKey);
  await redis.close();
  await real.drop();
});

test("GET /health answers healthy and the version, whatever is down, without a credential", async () => {
  await Promise.all([databaseProxy.cut(), redisProxy.cut()]);
  expect(await api.get("/health", "")).toEqual({ status: 200, body: { status: "healthy", version: "1.2.3" } });
});

describe("GET /health/detailed answers 200 and", () => {
  test("healthy while database, Redis and consumer are up", async () => {
    expect(await detailed()).toEqual({
      status: "healthy",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      version: "1.2.3",
      components: { database: { status: "up" }, redis: { status: "up" }, consumer: { status: "up" } },
    });
  });

  test("degraded when the database check fails: database down with an error text", async () => {
    await databaseProxy.cut();
    expect(await detailed()).toMatchObject({
      status: "degraded",
      components: { database: { status: "down", error: expect.stringContaining("PostgreSQL does not answer") }, redis: { status: "up" } },
    });
    await databaseProxy.mend();
    expect(await detailed()).toMatchObject({ status: "healthy" });
  });

  test("degraded when the Redis ping fails: redis down with an error text, consumer unknown", async () => {
    await redisProxy.cut();
    expect(await detailed()).toMatchObject({
      status: "degraded",
      components: {
        database: { status: "up" },
        redis: { status: "down", error: expect.stringContaining("Redis does not answer") },
        consumer: { status: "unknown", error: expect.any(String) },
      },
    });
  });

  test("degraded when the heartbeat key is absent: consumer down", async () => {
    await redis.client.del(heartbeatKey);
    expect(await detailed()).toMatchObject({
      status: "degraded",
      components: { consumer: { status: "down", error: expect.stringContaining("no heartbeat") }, redis: { status: "up" } },
    });
  });

  test("healthy when the heartbeat check raises an error: consumer unknown", async () => {
    const user = `sightline-test-${randomUUID()}`;
    // May ping, but not look at keys.
    await redis.client.call("ACL", "SETUSER", user, "on", ">secret", "+@connection", "+info");
    const url = new URL(redis.url);
    [url.username, url.password] = [user, "secret"];
    const limited = await createApiRig({ database, redisUrl: url.toString(), stream, heartbeatKey });
    try {
      const { body } = await limited.get("/health/detailed", "");
      expect(body).toMatchObject({
        status: "healthy",
        components: { redis: { status: "up" }, consumer: { status: "unknown", error: "The heartbeat does not answer (NOPERM)" } },
      });
    } finally {
      await limited.close();
      await redis.client.call("ACL", "DELUSER", user);
    }
  });

  test("within two seconds and a bit when everything hangs, and without hosts, ports or users in the texts", async () => {
    await detailed();
    databaseProxy.hang();
    redisProxy.hang();
    const startedAt = performance.now();
    const body = await detailed();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(body).toMatchObject({ status: "degraded", components: { database: { status: "down" }, redis: { status: "down" } } });
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|localhost|postgres:|redis:\/\//);
  });
});

describe("GET /metrics", () => {
  test("has the stream's length, the consumer's lag and its heartbeat", async () => {
    expect(await metric("studio_stream_length")).toBe(0);
    expect(await metric("studio_consumer_lag_seconds")).toBe(0);
    const [seconds] = await redis.client.time();
    await redis.client.xadd(stream, `${Number(seconds) * 1000 - 90_000}-0`, "v", "1");
    await redis.client.xadd(stream, "*", "v", "1");
    expect(await metric("studio_stream_length")).toBe(2);
    const lag = await metric("studio_consumer_lag_seconds");
    expect(lag).toBeGreaterThanOrEqual(90);
    expect(lag).toBeLessThan(95);
    expect(await metric("studio_redis_memory_bytes")).toBeGreaterThan(100_000);
    expect(await metric("studio_redis_noeviction")).toBe(1);
    expect(await metric("studio_consumer_heartbeat")).toBe(1);
    await redis.client.del(heartbeatKey);
    expect(await metric("studio_consumer_heartbeat")).toBe(0);
  });

  test("says NaN while Redis is away", async () => {
    await redisProxy.cut();
    expect(await metric("studio_stream_length")).toBeNaN();
  });
});

async function detailed() {
  const { status, body } = await api.get("/health/detailed", "");
  expect(status).toBe(200);
  return detailedHealthSchema.parse(body);
}

async function metric(name: string): Promise<number> {
  const { payload } = await api.server.inject({ url: "/metrics" });
  return Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(payload)?.[1]?.replace("Nan", "NaN"));
}
