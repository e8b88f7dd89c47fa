import { once } from "node:events";
import { createServer } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOddDatabase, createTestDatabase, needsRealPostgres, type TestDatabase } from "#testing/test-database.ts";
import { silentLog } from "#testing/silent-log.ts";
import { createDatabase, describeAddress, waitForDatabase } from "./database.ts";
import { errorMessage } from "#errors.ts";
import { runCheck } from "#health.ts";
import { createLog, type Logger } from "#log.ts";

const others = { poolSize: 1, applicationName: "test", log: silentLog };

let database: TestDatabase<unknown>;
let logged: string[];
let log: Logger;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

beforeEach(() => {
  logged = [];
  log = createLog({ name: "test", level: "debug", destination: { write: (line) => void logged.push(line) } });
});

describe("a database", () => {
  test("gives 64-bit counts as numbers and timestamps as dates", async () => {
    const { rows } = await database.pool.query("select count(*) as count, now() as now from generate_series(1, 3)");
    expect(rows[0]).toEqual({ count: 3, now: expect.any(Date) });
  });

  test("is up while it answers and down when it does not", async () => {
    expect(await runCheck(database.check)).toEqual({ status: "up" });
    const away = createDatabase({ url: "postgres://127.0.0.1:1/none", poolSize: 1, applicationName: "test", log: silentLog });
    expect(await runCheck(away.check)).toEqual({ status: "down", error: expect.stringContaining("ECONNREFUSED") });
    await away.close();
  });

  test("has the server end it when its machine went silent", needsRealPostgres, async () => {
    const { rows } = await database.pool.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout') order by name",
    );
    expect(rows.map(({ setting }) => Number(setting))).toEqual([3, 15, 5, 30_000]);
  });

  test("keeps the plans of what a connection is asked often, where it may, and answers the same", needsRealPostgres, async () => {
    for (const [keepsPlans, kept] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const own = createDatabase({ ...others, url: database.url, keepsPlans });
      for (let asked = 1; asked <= 5; asked++) {
        const { rows } = await sql`select ${asked}::integer + 1 as next`.execute(own.query);
        expect(rows).toEqual([{ next: asked + 1 }]);
      }
      const { rows } = await own.pool.query("select count(*) as kept from pg_prepared_statements where statement like '%as next'");
      expect(rows).toEqual([{ kept }]);
      await own.close();
    }
  });

  test("means the same whatever the settings of the database are, but for those in its address", needsRealPostgres, async () => {
    const settings = [
      "DateStyle to 'German, DMY'",
      "IntervalStyle to 'sql_standard'",
      "TimeZone to 'Asia/Kathmandu'",
      "extra_float_digits to -15",
      "bytea_output to 'escape'",
      "standard_conforming_strings to off",
      "transform_null_equals to on",
      "default_transaction_isolation to 'serializable'",
      "default_transaction_read_only to on",
      "lock_timeout to 1",
    ];
    const odd = await createOddDatabase({ settings });
    const answer = `select '2026-11-21T10:00:00Z'::timestamptz as instant, '2026-11-21T10:00:00Z'::timestamptz::text as text,
      '2026-11-21T22:00:00Z'::timestamptz::date::text as day, '1 day 02:00:00'::interval::text as interval, 0.1::float8 + 0.2 as sum,
      '\\x00ff'::bytea as bytes, 'a\\b' as string, (select null = null) is null as unknown,
      current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as waits`;
    const [usual, strange] = [await database.pool.query(answer), await odd.pool.query(answer)];
    expect(strange.rows).toEqual(usual.rows);
    await odd.pool.query("create table public.kept (id int)");
    const own = createDatabase({ ...others, url: `${odd.url}?options=-c%20TimeZone%3DAsia/Tokyo` });
    const { rows } = await own.pool.query("select current_setting('TimeZone') as zone, current_setting('DateStyle') as style");
    expect(rows).toEqual([{ zone: "Asia/Tokyo", style: "ISO, MDY" }]);
    await own.close();
    await odd.drop();
  });

  test("gives a statement up that takes too long", needsRealPostgres, async () => {
    const impatient = createDatabase({
      url: database.url,
      poolSize: 1,
      applicationName: "test",
      log: silentLog,
      statementTimeoutMs: 50,
    });
    await expect(impatient.pool.query("select pg_sleep(10)")).rejects.toThrow("statement timeout");
    await impatient.close();
  });

  test(
    "survives the loss of a connection that is taken but has nothing to do just then, as between a transaction's statements",
    needsRealPostgres,
    async () => {
      const fragile = createDatabase({ url: database.url, poolSize: 1, applicationName: "taken", log });
      const client = await fragile.pool.connect();
      await client.query("begin");
      const ended = new Promise<void>((resolve) => client.once("end", () => resolve()));
      await database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'taken'");
      await ended;
      await expect(client.query("select 1")).rejects.toThrow("not queryable");
      client.release(true);
      expect((await fragile.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await fragile.close();
    },
  );

  test("is closed although a statement hangs, which fails then", needsRealPostgres, async () => {
    const hanging = createDatabase({ url: database.url, poolSize: 2, applicationName: "hanging", log: silentLog });
    const ends = Promise.all(
      [hanging.pool.query("select pg_sleep(25)"), sql`select pg_sleep(25)`.execute(hanging.query)].map((statement: Promise<unknown>) =>
        statement.then(() => "answered", errorMessage),
      ),
    );
    await expect.poll(() => hanging.pool.totalCount - hanging.pool.idleCount).toBe(2);
    await hanging.close();
    expect(await ends).toEqual([expect.stringContaining("Connection terminated"), expect.stringContaining("Connection terminated")]);
  });

  test("lets a statement finish that does not take long when it is closed", needsRealPostgres, async () => {
    const busy = createDatabase({ url: database.url, poolSize: 1, applicationName: "busy", log: silentLog });
    const answer = busy.pool.query("select pg_sleep(0.3), 1 as one");
    await expect.poll(() => busy.pool.totalCount).toBe(1);
    await busy.close();
    expect((await answer).rows).toMatchObject([{ one: 1 }]);
  });

  test("survives the loss of its connections", needsRealPostgres, async () => {
    const fragile = createDatabase({ url: database.url, poolSize: 3, applicationName: "fragile", log });
    await Promise.all([1, 2, 3].map(() => fragile.pool.query("select pg_sleep(0.05)")));
    await database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fragile'");
    await expect.poll(() => fragile.pool.totalCount).toBe(0);
    expect((await fragile.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(logged.join("")).toContain("an idle database connection broke");
    await fragile.close();
  });
});

describe("waiting for the database", () => {
  test("returns as soon as it answers", async () => {
    await waitForDatabase({ url: database.url, log, variable: "DATABASE_URL" });
    expect(logged).toEqual([]);
  });

  test("goes on when it comes up late", needsRealPostgres, async () => {
    const address = new URL(database.url);
    const port = await closedPort();
    const waiting = waitForDatabase({ url: `postgres://postgres@127.0.0.1:${port}${address.pathname}`, log, variable: "DATABASE_URL" });
    await expect.poll(() => logged.length).toBeGreaterThan(0);
    const { connect } = await import("node:net");
    const forwarding = createServer((socket) => {
      const upstream = connect(Number(address.port), address.hostname);
      socket.pipe(upstream).pipe(socket);
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    }).listen(port, "127.0.0.1");
    await waiting;
    forwarding.close();
  });

  test("gives up with the address and the variable, never the password", async () => {
    const url = "postgres://me:hunter2@127.0.0.1:1/sightline";
    await expect(waitForDatabase({ url, log, variable: "DATABASE_URL", giveUpAfterMs: 600 })).rejects.toThrow(
      /^PostgreSQL at 127\.0\.0\.1:1\/sightline did not answer for 1 s: .*ECONNREFUSED.*\. Check DATABASE_URL, and that the server runs\.$/,
    );
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join("")).not.toContain("hunter2");
  });

  test("pauses longer each time", async () => {
    await waitForDatabase({ url: "postgres://127.0.0.1:1/none", log, variable: "DATABASE_URL", giveUpAfterMs: 1_000 }).catch(
      () => undefined,
    );
    expect(logged.map((line) => JSON.parse(line).retryInMs)).toEqual([250, 500]);
  });
});

test("an address is shown without user and password", () => {
  expect(describeAddress("postgres://me:hunter2@db.example:5432/sightline?sslmode=require")).toBe("db.example:5432/sightline");
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
