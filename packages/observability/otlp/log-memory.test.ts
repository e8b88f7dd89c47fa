import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogMemory, type LogMemory } from "./log-memory.ts";
import type { OtlpLog } from "./wire/otlp-span.ts";

let redis: TestRedis;
let memory: LogMemory;
let now = Date.parse("2026-11-29T12:00:00Z");
const MEBIBYTE = 1024 * 1024;

beforeAll(async () => {
  redis = await createTestRedis();
  memory = createLogMemory({ redis: redis.client, stream: redis.prefix, clock: { now: () => new Date(now) } });
});

afterAll(async () => {
  await redis.client.del(...(await redis.client.keys(`{${redis.prefix}}:*`)));
  await redis.close();
});

let spans = 0;

/** Some 15/16 MiB, in a span of its own. */
function bigLog(): OtlpLog {
  const spanId = String((spans += 1)).padStart(16, "0");
  const attributes = new Map([["content", "x".repeat((15 * MEBIBYTE) / 16)]]);
  return { traceId: "a".repeat(32), spanId, event: { name: "gen_ai.user.message", nanos: 1n, attributes } };
}

/** Sends until no more is held. @returns how many were. */
async function fill(projectId: string): Promise<number> {
  const held = async () => (await redis.client.keys(`{${redis.prefix}}:otlp:logs:${projectId}:*`)).length;
  for (let before = -1; before < (await held()); await memory.addLogs(projectId, [bigLog()])) {
    before = await held();
  }
  return held();
}

test("what one project holds in a minute is bounded, and what all do, so that there is room for the stream", async () => {
  expect([await fill("one"), await fill("two"), await fill("three")]).toEqual([17, 17, 17]);
  expect((await fill("four")) + (await fill("five"))).toBe(17);
  now += 60_000;
  expect(await fill("five")).toBeGreaterThan(1);
});
