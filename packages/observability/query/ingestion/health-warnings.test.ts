import { expect, test } from "vitest";
import { redisWarnings } from "./health-warnings.ts";

const MEBI = 1024 * 1024;

test("a Redis that keeps everything, within its bounds, is warned of in nothing", async () => {
  expect(await redisWarnings(redisWith("noeviction", 450 * MEBI, 80_000), "events")).toEqual({});
});

test.each([
  ["allkeys-lru", 1, 1, /^maxmemory-policy is allkeys-lru: .*noeviction/],
  ["noeviction", 451 * MEBI, 1, /^Redis uses 451 MB, over 450/],
  ["noeviction", 1, 80_001, /^80001 events wait on the stream/],
])("policy %s, %i bytes and %i events on the stream are warned of, and what to do", async (policy, memory, length, warning) => {
  expect(await redisWarnings(redisWith(policy, memory, length), "events")).toEqual({ warnings: [expect.stringMatching(warning)] });
});

test("a Redis that does not answer, or whose user may not ask, warns of nothing by itself", async () => {
  const away = { info: () => Promise.reject(new Error("NOPERM")), xlen: () => Promise.resolve(0) };
  expect(await redisWarnings(away, "events")).toEqual({});
});

function redisWith(policy: string, memory: number, length: number) {
  const info = `# Memory\r\nused_memory:${memory}\r\nused_memory_human:1M\r\nmaxmemory:0\r\nmaxmemory_policy:${policy}\r\n`;
  return { info: () => Promise.resolve(info), xlen: () => Promise.resolve(length) };
}
