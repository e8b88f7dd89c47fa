import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { readAs, ensureTenant, untilAborted, type Tenant } from "./tenant.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
});

afterAll(() => database.drop());

const LONG = sql`select pg_sleep(60) as "held by a test"`;

async function sleepers(): Promise<number> {
  const { rows } = await database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '%held by a test%' and pid <> pg_backend_pid()",
  );
  return rows.length;
}

test("a read whose asker is gone ends on the server, and leaves its connection to others", needsRealPostgres, async () => {
  const leaving = Array.from({ length: 12 }, () => new AbortController());
  const reads = leaving.map((controller) =>
    readAs(untilAborted(database, controller.signal), tenant, 60_000, (transaction) => LONG.execute(transaction)),
  );
  const outcomes = Promise.allSettled(reads);
  await expect.poll(sleepers).toBe(12);
  for (const controller of leaving) {
    controller.abort(new Error("gone"));
  }
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { message: "gone" } });
  }
  expect(await sleepers()).toBe(0);
  // On the very connections whose statements were cancelled.
  const after = Array.from({ length: 30 }, () =>
    readAs(database, tenant, 5_000, async (transaction) => (await sql`select pg_sleep(0.05), 1 as one`.execute(transaction)).rows.length),
  );
  expect(new Set(await Promise.all(after))).toEqual(new Set([1]));
});

test("a read whose asker is gone begins no further statement", async () => {
  const controller = new AbortController();
  const done: string[] = [];
  const reading = readAs(untilAborted(database, controller.signal), tenant, 5_000, async (transaction) => {
    await sql`select 1`.execute(transaction);
    done.push("first");
    controller.abort(new Error("gone"));
    await sql`select 2`.execute(transaction);
    done.push("second");
  });
  await expect(reading).rejects.toThrow("gone");
  expect(done).toEqual(["first"]);
});

test("a read for nobody begins nothing, and one whose asker stays is as it was", async () => {
  const reading = readAs(untilAborted(database, AbortSignal.abort(new Error("gone"))), tenant, 5_000, () => Promise.resolve("read"));
  await expect(reading).rejects.toThrow("gone");
  const staying = untilAborted(database, new AbortController().signal);
  expect(await readAs(staying, tenant, 5_000, () => Promise.resolve("read"))).toBe("read");
});
