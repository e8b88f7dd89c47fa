import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "@sightline/foundation/database/database";
import { createRedis } from "@sightline/foundation/redis";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveSetting, type Setting } from "#settings/environment.ts";
import { storeChildren } from "./stores.ts";
import { createSupervisor, type Supervisor } from "#supervisor/supervisor.ts";
import { freePort } from "#testing/free-port.ts";
import { isAlive, waitUntil } from "#testing/wait-until.ts";

let home: string;
let setting: Setting;
let supervisor: Supervisor;
const said: string[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-stores-"));
  setting = resolveSetting({
    PATH: process.env["PATH"],
    SIGHTLINE_HOME: home,
    SIGHTLINE_POSTGRES_PORT: String(await freePort()),
    SIGHTLINE_REDIS_PORT: String(await freePort()),
  });
  supervisor = launch();
  await supervisor.start(storeChildren(setting));
});

afterAll(async () => {
  await supervisor.stop();
  await rm(home, { recursive: true, force: true });
});

function launch(): Supervisor {
  return createSupervisor({ output: { childLine: (name, line) => said.push(`${name}: ${line}`), say: (text) => said.push(text) } });
}

async function onDatabase<Result>(statement: string): Promise<Result[]> {
  const database = createDatabase<unknown>({
    url: setting.environment["DATABASE_URL"] ?? "",
    poolSize: 1,
    applicationName: "test",
    log: silentLog,
  });
  try {
    return (await database.pool.query(statement)).rows as Result[];
  } finally {
    await database.close();
  }
}

async function onRedis<Result>(work: (client: ReturnType<typeof createRedis>["client"]) => Promise<Result>): Promise<Result> {
  const connection = createRedis({ url: setting.environment["OBSERVABILITY_REDIS_URL"] ?? "", name: "test", log: silentLog });
  try {
    await connection.client.connect();
    return await work(connection.client);
  } finally {
    await connection.close();
  }
}

async function redisPid(): Promise<number> {
  return Number(await readFile(join(home, "redis", "server.pid"), "utf8"));
}

test("the embedded PostgreSQL has the extensions the code index needs", async () => {
  await onDatabase("create extension if not exists vector");
  await onDatabase("create extension if not exists pg_trgm");
  const [row] = await onDatabase<{ near: number; alike: number }>(
    "select '[1,2]'::vector <-> '[1,4]'::vector as near, similarity('search', 'search') as alike",
  );
  expect(row).toEqual({ near: 2, alike: 1 });
});

test("the embedded Redis persists each write and evicts nothing", async () => {
  const config = await onRedis((client) => client.config("GET", "appendonly", "maxmemory-policy", "bind", "appendfsync"));
  expect(config).toEqual(
    expect.arrayContaining(["appendonly", "yes", "maxmemory-policy", "noeviction", "bind", "127.0.0.1", "appendfsync", "everysec"]),
  );
});

test("a redis-server that is killed is back within five seconds with every acknowledged write", async () => {
  await onRedis((client) => client.set("kept", "yes"));
  const pid = await redisPid();
  process.kill(pid, "SIGKILL");
  await waitUntil("another redis-server answers", async () => (await redisPid()) !== pid && (await answers()), 5_000);
  expect(await onRedis((client) => client.get("kept"))).toBe("yes");
});

test("stopping and starting again keeps the data of both stores, and leaves no process", async () => {
  await onDatabase("create table kept (text text)");
  await onDatabase("insert into kept values ('yes')");
  const pid = await redisPid();
  await supervisor.stop();
  expect(isAlive(pid)).toBe(false);
  supervisor = launch();
  await supervisor.start(storeChildren(setting));
  expect(await onDatabase("select text from kept")).toEqual([{ text: "yes" }]);
  expect(await onRedis((client) => client.get("kept"))).toBe("yes");
});

test("killing both processes at once loses nothing that was acknowledged", async () => {
  await onDatabase("insert into kept values ('killed')");
  await onRedis((client) => client.set("killed", "yes"));
  supervisor.kill();
  await waitUntil("the database is gone", async () => !(await databaseAnswers()));
  supervisor = launch();
  await supervisor.start(storeChildren(setting));
  expect(await onDatabase("select text from kept")).toEqual([{ text: "yes" }, { text: "killed" }]);
  expect(await onRedis((client) => client.get("killed"))).toBe("yes");
});

function answers(): Promise<boolean> {
  return onRedis((client) => client.ping()).then(
    () => true,
    () => false,
  );
}

function databaseAnswers(): Promise<boolean> {
  return onDatabase("select 1").then(
    () => true,
    () => false,
  );
}
