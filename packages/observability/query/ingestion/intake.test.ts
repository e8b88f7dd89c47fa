import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig } from "#testing/api-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;

beforeEach(async () => {
  [database, redis] = await Promise.all([createTestDatabase<ObservabilitySchema>(), createTestRedis()]);
});

afterEach(() => Promise.all([redis.close(), database.drop()]));

test("applications are told where to send to: the public addresses, without a password", async () => {
  expect(await readIntake("rediss://app:hunter2@events.example.org:6380/2")).toEqual({
    redis_url: "rediss://…@events.example.org:6380/2",
    stream_name: "events-of-acme",
    otlp_url: "https://traces.example.org/v1/traces",
  });
});

test("without a public address of Redis it is Sightline's own", async () => {
  expect(await readIntake()).toMatchObject({ redis_url: expect.stringContaining(new URL(redis.url).host) });
});

async function readIntake(publicRedisUrl?: string) {
  const rig = await createApiRig({
    database,
    redisUrl: redis.url,
    stream: "events-of-acme",
    heartbeatKey: `${redis.prefix}heartbeat`,
    publicRedisUrl,
  });
  try {
    expect((await rig.get("/api/v1/intake", "")).status).toBe(401);
    return (await rig.get("/api/v1/intake")).body;
  } finally {
    await rig.close();
  }
}
