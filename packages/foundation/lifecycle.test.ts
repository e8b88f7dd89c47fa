import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "#testing/silent-log.ts";
import { createLifecycle, type Service } from "./lifecycle.ts";

let events: string[];

beforeEach(() => {
  events = [];
});

afterEach(() => {
  vi.useRealTimers();
});

test("services start in order and stop in reverse", async () => {
  const lifecycle = createLifecycle({ log: silentLog, services: [service("database"), service("http")] });
  await lifecycle.start();
  await lifecycle.stop();
  expect(events).toEqual(["start database", "start http", "stop http", "stop database"]);
});

test("stopping twice stops once", async () => {
  const lifecycle = createLifecycle({ log: silentLog, services: [service("http")] });
  await lifecycle.start();
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  expect(events).toEqual(["start http", "stop http"]);
});

test("when one fails to start, those before it are stopped and the failure is thrown", async () => {
  const broken: Service = { ...service("http"), start: () => Promise.reject(new Error("Port 1 is in use")) };
  const lifecycle = createLifecycle({ log: silentLog, services: [service("database"), broken, service("jobs")] });
  await expect(lifecycle.start()).rejects.toThrow("Port 1 is in use");
  expect(events).toEqual(["start database", "stop database"]);
});

test("a service that fails to stop does not keep the others from stopping", async () => {
  const broken: Service = { ...service("http"), stop: () => Promise.reject(new Error("stuck")) };
  const lifecycle = createLifecycle({ log: silentLog, services: [service("database"), broken] });
  await lifecycle.start();
  await lifecycle.stop();
  expect(events).toEqual(["start database", "start http", "stop database"]);
});

test("a service that throws while stopping does not keep the others from stopping", async () => {
  const broken: Service = {
    ...service("http"),
    stop: () => {
      throw new Error("stuck");
    },
  };
  const lifecycle = createLifecycle({ log: silentLog, services: [service("database"), broken] });
  await lifecycle.start();
  await lifecycle.stop();
  expect(events).toContain("stop database");
});

test("stopping gives up on a service when the drain time is over", async () => {
  vi.useFakeTimers();
  const hanging: Service = { ...service("jobs"), stop: () => new Promise(() => undefined) };
  const lifecycle = createLifecycle({ log: silentLog, services: [service("database"), hanging], drainMs: 10_000 });
  await lifecycle.start();
  const stopped = lifecycle.stop();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(events).not.toContain("stop database");
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  expect(events).toContain("stop database");
});

test("a stop that comes during the start waits for it and stops what was started", async () => {
  const opening = Promise.withResolvers<void>();
  const slow: Service = { ...service("database"), start: () => opening.promise.then(() => void events.push("start database")) };
  const lifecycle = createLifecycle({ log: silentLog, services: [slow, service("http")] });
  const started = lifecycle.start();
  const stopped = lifecycle.stop();
  opening.resolve();
  await Promise.all([started, stopped]);
  expect(events).toEqual(["start database", "stop database"]);
});

function service(name: string): Service {
  return {
    name,
    start: async () => void events.push(`start ${name}`),
    stop: async () => void events.push(`stop ${name}`),
  };
}
