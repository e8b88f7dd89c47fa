import { expect, test } from "vitest";
import { redisWarnings } from "./health-warnings.ts";

const MEBI = 1024 * 1024;

test("a Redis that keeps everything, within its bounds, is warned of in nothing", async () => {
  expect(await redisWarnings([serverWith("noeviction", 450 * MEBI)], streamWith(80_000))).toEqual({});
});

test.each([
  ["allkeys-lru", 1, 1, /^maxmemory-policy is allkeys-lru: .*noeviction/],
  ["noeviction", 451 * MEBI, 1, /^Redis uses 451 MB, over 450/],
  ["noeviction", 1, 80_001, /^80001 events wait on the stream/],
])("policy %s, %i bytes and %i events on the stream are warned of, and what to do", async (policy, memory, length, warning) => {
  const well = serverWith("noeviction", 1);
  // One server of a cluster is enough.
  expect(await redisWarnings([well, serverWith(policy, memory), well], streamWith(length))).toEqual({
    warnings: [expect.stringMatching(warning)],
  });
});

test("a Redis that does not answer, or whose user may not ask, warns of nothing by itself", async () => {
  const away = { info: () => Promise.reject(new Error("NOPERM")) };
  expect(await redisWarnings([away], streamWith(0))).toEqual({});
});

function serverWith(policy: string, memory: number) {
  const info = `# Memory\r\nused_memory:${memory}\r\nused_memory_human:1M\r\nmaxmemory:0\r\nmaxmemory_policy:${policy}\r\n`;
  return { info: () => Promise.resolve(info) };
}

function streamWith(longest: number) {
  return { longest: () => Promise.resolve(longest) };
}
