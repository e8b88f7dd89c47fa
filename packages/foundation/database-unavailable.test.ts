import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Client, escapeIdentifier } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { silentLog } from "#testing/silent-log.ts";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "#testing/test-database.ts";
import { createDatabase, type Database } from "./database/database.ts";
import { createHttpServer, type HttpServer } from "./http/http-server.ts";
import { createMetrics } from "./http/metrics.ts";

let database: TestDatabase<unknown>;
const opened: { readonly close: () => Promise<unknown> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});
afterAll(() => database.drop());

test("a user who may open no more connections is answered 503, and 200 as soon as there is room", needsRealPostgres, async () => {
  const user = `limited_${randomUUID().replaceAll("-", "")}`;
  await database.pool.query(`create role ${escapeIdentifier(user)} login connection limit 1`);
  const url = new URL(database.url);
  url.username = user;
  const server = await serve(open(url.href), "select 1");
  const other = new Client({ connectionString: url.href });
  await other.connect();
  const refused = await server.inject("/");
  await other.end();
  expect(refused).toMatchObject({ statusCode: 503, headers: { "retry-after": "5", "cache-control": "no-store" } });
  expect(refused.json()).toEqual({
    error: "database_unavailable",
    message: expect.stringContaining("takes no more connections; try again"),
  });
  expect(refused.body).not.toContain(user);
  await expect.poll(async () => (await server.inject("/")).statusCode).toBe(200);
  await Promise.all(opened.splice(0).map(({ close }) => close()));
  await database.pool.query(`drop role ${escapeIdentifier(user)}`);
});

test.each([
  ["53100", "60", /has no room left/],
  ["53200", "5", /try again/],
  ["57P01", "5", /try again/],
  ["57P03", "5", /try again/],
  ["08006", "5", /try again/],
])("SQLSTATE %s, which is about the server and not the request, is 503", async (state, seconds, message) => {
  const server = await serve(database, raise(state));
  const answer = await server.inject("/");
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": seconds } });
  expect(answer.json()).toEqual({ error: "database_unavailable", message: expect.stringMatching(message) });
});

test("a database that can't be reached is 503", async () => {
  const server = await serve(open("postgres://127.0.0.1:1/none"), "select 1");
  const answer = await server.inject("/");
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "5" } });
  expect(answer.json()).toMatchObject({ error: "database_unavailable" });
  expect(answer.body).not.toContain("127.0.0.1");
});

test("a database that hangs up is 503", async () => {
  const hanging = createServer((socket) => void socket.end()).listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const { port } = hanging.address() as AddressInfo;
  const answer = await (await serve(open(`postgres://127.0.0.1:${port}/none`), "select 1")).inject("/");
  hanging.close();
  expect(answer).toMatchObject({ statusCode: 503, body: expect.stringContaining("database_unavailable") });
});

test("a database that ends the connection while it works, as one that is killed, is 503", needsRealPostgres, async () => {
  const working = open(database.url);
  const answer = (await serve(working, "select pg_sleep(20)")).inject("/");
  await expect
    .poll(
      async () =>
        (await database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(20)'")).rowCount,
    )
    .toBe(1);
  expect(await answer).toMatchObject({ statusCode: 503, body: expect.stringContaining("database_unavailable") });
});

test.each(["42P01", "53400", "40001"])("SQLSTATE %s, which trying again does not mend, stays 500", async (state) => {
  const server = await serve(database, raise(state));
  expect(await server.inject("/")).toMatchObject({ statusCode: 500, body: expect.stringContaining("internal_error") });
});

function raise(state: string): string {
  return `do $$ begin raise exception 'not now' using errcode = '${state}'; end $$`;
}

function open(url: string): Database<unknown> {
  const made = createDatabase({ url, poolSize: 1, applicationName: "test", log: silentLog });
  opened.push(made);
  return made;
}

async function serve({ pool }: Database<unknown>, statement: string): Promise<HttpServer> {
  const server = await createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: {},
    routes: [(scope) => void scope.get("/", { config: { auth: "public" } }, async () => void (await pool.query(statement)))],
  });
  opened.push(server);
  return server;
}
