import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import type { CodeIndexTables } from "#schema.ts";
import { forgetCallers } from "#store/records/call-limit.store.ts";
import { createCallLimit, type CallLimit } from "./call-limit.ts";

let database: TestDatabase<CodeIndexTables>;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
});

afterAll(async () => {
  await database.drop();
});

async function refusalOf(call: Promise<void>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function grantedOf(limit: CallLimit, caller: string, times: number): Promise<number> {
  const refusals = await Promise.all(Array.from({ length: times }, () => refusalOf(limit(caller))));
  return refusals.filter((refusal) => refusal === undefined).length;
}

/** As if the caller had paused so long, by the database's clock. */
async function wait(caller: string, seconds: number): Promise<void> {
  await database.pool.query("update codeindex.mcp_allowances set full_at = full_at - make_interval(secs => $2) where caller = $1", [
    caller,
    seconds,
  ]);
}

/** What a refused caller is told to wait; `seconds` less what the machine was slow for. */
const retryAfter = (seconds: number) => ({
  headers: { "retry-after": expect.toBeOneOf([0, 1, 2, 3].map((slow) => String(Math.max(1, seconds - slow)))) },
});

const RATE_LIMITED = { code: "rate_limited", status: 429 };

test("after its calls of a minute a caller is told how long to wait, others are not held up", async () => {
  const limit = createCallLimit({ database, log: silentLog, perMinute: 2 });
  await limit("one");
  await limit("one");
  expect(await refusalOf(limit("one"))).toMatchObject({ ...RATE_LIMITED, ...retryAfter(30) });
  expect(await refusalOf(limit("two"))).toBeUndefined();
  await wait("one", 20);
  expect(await refusalOf(limit("one"))).toMatchObject(retryAfter(10));
  await wait("one", 10);
  expect(await refusalOf(limit("one"))).toBeUndefined();
  expect(await refusalOf(limit("one"))).toMatchObject(RATE_LIMITED);
});

test("calls made at once of several processes are granted no more often than the limit says", needsRealPostgres, async () => {
  const processes = [1, 2, 3].map(() => createCallLimit({ database, log: silentLog, perMinute: 20 }));
  const granted = await Promise.all(processes.map((limit) => grantedOf(limit, "many", 30)));
  const all = granted.reduce((sum, each) => sum + each);
  // One comes back every three seconds, which ninety statements may take on a busy machine.
  expect(all).toBeGreaterThanOrEqual(20);
  expect(all).toBeLessThanOrEqual(22);
});

test("a refused call costs nothing, and a pause gives no more than a minute's calls", async () => {
  const limit = createCallLimit({ database, log: silentLog, perMinute: 3 });
  expect(await grantedOf(limit, "three", 50)).toBe(3);
  await wait("three", 20);
  expect(await grantedOf(limit, "three", 50)).toBe(1);
  await wait("three", 3_600);
  expect(await grantedOf(limit, "three", 50)).toBe(3);
});

test("a clock that is set back by an hour locks nobody out, and by a minute gives nobody more", async () => {
  const limit = createCallLimit({ database, log: silentLog, perMinute: 2 });
  expect(await grantedOf(limit, "four", 3)).toBe(2);
  await wait("four", -59);
  expect(await grantedOf(limit, "four", 3)).toBe(0);
  await wait("four", -3_600);
  expect(await grantedOf(limit, "four", 3)).toBe(2);
});

test("a limit that was lowered or raised holds for who called before", async () => {
  const high = createCallLimit({ database, log: silentLog, perMinute: 100 });
  const low = createCallLimit({ database, log: silentLog, perMinute: 2 });
  expect(await grantedOf(low, "five", 5)).toBe(2);
  expect(await refusalOf(high("five"))).toMatchObject(retryAfter(1));
  await wait("five", 1);
  expect(await refusalOf(high("five"))).toBeUndefined();
  expect(await refusalOf(low("five"))).toMatchObject(retryAfter(30));
});

test("callers who have all their calls again are forgotten, the others are not", async () => {
  const limit = createCallLimit({ database, log: silentLog, perMinute: 1 });
  await Promise.all([limit("gone"), limit("here")]);
  await wait("gone", 61);
  expect(await forgetCallers(database)).toBe(false);
  const { rows } = await database.pool.query("select caller from codeindex.mcp_allowances where caller in ('gone', 'here')");
  expect(rows).toEqual([{ caller: "here" }]);
});

test("0 is no limit", async () => {
  expect(await grantedOf(createCallLimit({ database, log: silentLog, perMinute: 0 }), "six", 1_000)).toBe(1_000);
});

test("a call that the database has no room to count is let through", async () => {
  await database.pool.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$;
    create trigger refuse before insert or update on codeindex.mcp_allowances execute function public.refuse()`);
  expect(await grantedOf(createCallLimit({ database, log: silentLog, perMinute: 1 }), "seven", 3)).toBe(3);
  await database.pool.query("drop function public.refuse() cascade");
});
