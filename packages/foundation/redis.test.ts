import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRedis, type TestRedis } from "#testing/test-redis.ts";
import { runCheck } from "./health.ts";
import { createLog, type Logger } from "./log.ts";
import { createRedis } from "./redis.ts";

let redis: TestRedis;
let logged: string[];
let log: Logger;

beforeEach(async () => {
  redis = await createTestRedis();
  logged = [];
  log = createLog({ name: "test", level: "debug", destination: { write: (line) => void logged.push(line) } });
});

afterEach(async () => {
  await redis.close();
});

test("a connection reads what it wrote and is up", async () => {
  await redis.client.set(`${redis.prefix}greeting`, "hello");
  expect(await redis.client.getdel(`${redis.prefix}greeting`)).toBe("hello");
  expect(await runCheck(redis.check)).toEqual({ status: "up" });
});

test("a command to a server that is away fails at once instead of waiting in memory", async () => {
  const away = createRedis({ url: "redis://127.0.0.1:1", name: "test", log });
  await expect(away.client.connect()).rejects.toThrow("Connection is closed");
  const before = performance.now();
  await expect(away.client.get("x")).rejects.toThrow("enableOfflineQueue");
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(await runCheck(away.check)).toMatchObject({ status: "down" });
  await away.close();
});

test("the same failure is logged once, however often the connection is tried again", async () => {
  const away = createRedis({ url: "redis://127.0.0.1:1", name: "test", log });
  let failures = 0;
  away.client.on("error", () => (failures += 1));
  away.client.connect().catch(() => undefined);
  await expect.poll(() => failures, { timeout: 5_000 }).toBeGreaterThan(2);
  expect(logged.filter((line) => line.includes("the Redis connection failed"))).toHaveLength(1);
  await away.close();
});

test("a connection comes back by itself when the server does", async () => {
  const away = createRedis({ url: redis.url, name: "test", log });
  await away.client.connect();
  const id = await away.client.client("ID");
  await redis.client.client("KILL", "ID", id);
  await expect.poll(() => runCheck(away.check), { timeout: 5_000 }).toEqual({ status: "up" });
  expect(await away.client.client("ID")).not.toBe(id);
  await away.close();
});

test("a command that the server never answers is given up after five seconds", async () => {
  const sockets = new Set<Socket>();
  const silent: Server = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const hanging = createRedis({ url: `redis://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, name: "test", log });
  const before = performance.now();
  await expect(hanging.client.connect()).rejects.toThrow("Connection is closed");
  expect(performance.now() - before).toBeLessThan(8_000);
  await hanging.close();
  for (const socket of sockets) {
    socket.destroy();
  }
  silent.close();
});

test("a connection that blocks may wait longer than a command may take", async () => {
  const blocking = createRedis({ url: redis.url, name: "test", log, blockingMs: 1_000 });
  await blocking.client.connect();
  expect(blocking.client.options).toMatchObject({ commandTimeout: 6_000 });
  expect(await blocking.client.blpop(`${redis.prefix}never`, 0.1)).toBeNull();
  await blocking.close();
});
