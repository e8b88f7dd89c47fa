import { afterEach, expect, test, vi } from "vitest";
import { runChecks, type Check } from "./health.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("every check is reported by its name, up or down with the reason", async () => {
  const checks: readonly Check[] = [
    { name: "database", check: async () => undefined },
    { name: "redis", check: () => Promise.reject(new Error("connect ECONNREFUSED")) },
  ];
  expect(await runChecks(checks)).toEqual({ database: { status: "up" }, redis: { status: "down", error: "connect ECONNREFUSED" } });
});

test("a check that throws at once is down, too", async () => {
  const throwing: Check = {
    name: "redis",
    check: () => {
      throw new Error("not connected");
    },
  };
  expect(await runChecks([throwing])).toEqual({ redis: { status: "down", error: "not connected" } });
});

test("checks that hang are down after two seconds, all together", async () => {
  vi.useFakeTimers();
  const hanging = (name: string): Check => ({ name, check: () => new Promise(() => undefined) });
  const results = runChecks([hanging("database"), hanging("redis")]);
  await vi.advanceTimersByTimeAsync(2_000);
  const down = { status: "down", error: "no answer within 2000 ms" };
  expect(await results).toEqual({ database: down, redis: down });
});

test("no timer is left when a check was quick", async () => {
  vi.useFakeTimers();
  await runChecks([{ name: "database", check: async () => undefined }]);
  expect(vi.getTimerCount()).toBe(0);
});
