import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Client, escapeIdentifier } from "pg";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "#testing/silent-log.ts";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "#testing/test-database.ts";
import { createDatabase, type Database } from "./database/database.ts";
import type { ErrorBody } from "./errors.ts";
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
  await expect.poll(() => endStatement("terminate", "select pg_sleep(20)")).toBe(1);
  expect(await answer).toMatchObject({ statusCode: 503, body: expect.stringContaining("database_unavailable") });
});

test("a database that ends the connection within a transaction is 503, although it can't be rolled back", needsRealPostgres, async () => {
  const working = open(database.url);
  const server = await serve(working, async () => {
    await working.query.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
      await database.pool.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
      await sql`select 1`.execute(transaction);
    });
  });
  expect(told(await server.inject("/"))).toEqual({ ...BUSY, message: expect.stringMatching(/does not answer|take this just now/) });
});

const BUSY = { status: 503, retryAfter: "5", error: "database_unavailable" };
const IN_VAIN = { ...BUSY, message: "The database had no time for this; try again in a few seconds." };
const OVERTAKEN = { ...BUSY, message: "The database was busy with what others change; try again in a few seconds." };

describe("what is asked of it at once is too much", () => {
  let other: Client;

  beforeEach(async () => {
    await database.pool.query("drop table if exists things; create table things as select generate_series(1, 2) as id, 0 as n");
    other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin");
  });
  afterEach(() => other.end());

  test("a statement that waits for a lock until its time is over is 503", needsRealPostgres, async () => {
    await other.query("lock table things");
    const server = await serve(open(database.url, 200), "select * from things");
    expect(told(await server.inject("/"))).toEqual(IN_VAIN);
    await other.query("rollback");
    expect((await server.inject("/")).statusCode).toBe(200);
  });

  test("a lock that takes too long is 503", needsRealPostgres, async () => {
    await other.query("lock table things");
    const server = await serve(open(database.url), "set lock_timeout = 50; select * from things");
    expect(told(await server.inject("/"))).toEqual(OVERTAKEN);
  });

  test("a statement that somebody cancels is 503", needsRealPostgres, async () => {
    const server = await serve(open(database.url), "select pg_sleep(21)");
    const answer = server.inject("/");
    await expect.poll(() => endStatement("cancel", "select pg_sleep(21)")).toBe(1);
    expect(told(await answer)).toEqual(IN_VAIN);
  });

  test("a transaction that pauses for too long is 503", needsRealPostgres, async () => {
    const pausing = open(database.url);
    const server = await serve(pausing, async () => {
      await pausing.query.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`
          select set_config('idle_in_transaction_session_timeout', '50', true), pg_backend_pid() as pid`.execute(transaction);
        await expect
          .poll(async () => (await database.pool.query("select from pg_stat_activity where pid = $1", [rows[0]?.pid])).rowCount)
          .toBe(0);
        await sql`select 1`.execute(transaction);
      });
    });
    expect(told(await server.inject("/"))).toEqual({ ...BUSY, message: expect.stringMatching(/does not answer|no time/) });
  });

  test("a deadlock is 503", needsRealPostgres, async () => {
    // Whoever looks for deadlocks first is the one who has to go.
    await other.query("set deadlock_timeout = '1min'; update things set n = 1 where id = 1");
    const working = open(database.url);
    let goesOn: Promise<unknown> | undefined;
    const server = await serve(working, async () => {
      await working.query.transaction().execute(async (transaction) => {
        await sql`set local deadlock_timeout = '10ms'`.execute(transaction);
        await sql`update things set n = 2 where id = 2`.execute(transaction);
        goesOn = other.query("update things set n = 1 where id = 2");
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
        await sql`update things set n = 2 where id = 1`.execute(transaction);
      });
    });
    expect(told(await server.inject("/"))).toEqual(OVERTAKEN);
    await goesOn;
  });

  test("a snapshot that others overtook is 503", needsRealPostgres, async () => {
    const working = open(database.url);
    const server = await serve(working, async () => {
      const transactions = working.query.transaction().setIsolationLevel("repeatable read");
      await transactions.execute(async (transaction) => {
        await sql`select * from things`.execute(transaction);
        await other.query("update things set n = 1; commit");
        await sql`update things set n = 2`.execute(transaction);
      });
    });
    expect(told(await server.inject("/"))).toEqual(OVERTAKEN);
  });

  test("a statement that is not ended at its time limit is given up with 503", { timeout: 30_000 }, async () => {
    // Where one session serves everybody the transaction of the other holds it.
    const server = await serve(
      open(database.url, 200),
      needsRealPostgres.skip ? "select 1" : "set statement_timeout = 0; select pg_sleep(15)",
    );
    expect(told(await server.inject("/"))).toEqual({ ...BUSY, message: expect.stringMatching(/does not answer/) });
  });
});

test("a pool that has no connection to give is 503, and 200 as soon as it has", { timeout: 30_000 }, async () => {
  const small = open(database.url);
  const server = await serve(small, "select 1");
  const taken = await small.pool.connect();
  const message = "The database has no connection free for this; try again in a few seconds.";
  expect(told(await server.inject("/"))).toEqual({ ...BUSY, message });
  taken.release();
  expect((await server.inject("/")).statusCode).toBe(200);
});

test("a node that a cluster lost in the middle is 503", async () => {
  const server = await serve(database, raise("XX000", "failure on connection marked as essential: node-2:5432"));
  const answer = await server.inject("/");
  expect(told(answer)).toMatchObject(BUSY);
  expect(answer.body).not.toContain("node-2");
});

test.each(["42P01", "42601", "23505", "22012", "53400", "XX000"])(
  "SQLSTATE %s, which trying again does not mend, stays 500",
  async (state) => {
    const server = await serve(database, raise(state));
    expect(await server.inject("/")).toMatchObject({ statusCode: 500, body: expect.stringContaining("internal_error") });
  },
);

function told(answer: Awaited<ReturnType<HttpServer["inject"]>>) {
  return { status: answer.statusCode, retryAfter: answer.headers["retry-after"], ...answer.json<ErrorBody>() };
}

/** @returns how many there were. */
async function endStatement(how: "cancel" | "terminate", statement: string): Promise<number | null> {
  return (await database.pool.query(`select pg_${how}_backend(pid) from pg_stat_activity where query = $1`, [statement])).rowCount;
}

function raise(state: string, message = "not now"): string {
  return `do $$ begin raise exception '${message}' using errcode = '${state}'; end $$`;
}

function open(url: string, statementTimeoutMs?: number): Database<unknown> {
  const made = createDatabase({
    url,
    poolSize: 1,
    applicationName: "test",
    log: silentLog,
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  opened.push(made);
  return made;
}

async function serve({ pool }: Database<unknown>, work: string | (() => Promise<void>)): Promise<HttpServer> {
  const run = typeof work === "string" ? async () => void (await pool.query(work)) : work;
  const server = await createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: {},
    routes: [(scope) => void scope.get("/", { config: { auth: "public" } }, run)],
  });
  opened.push(server);
  return server;
}
