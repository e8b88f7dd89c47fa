import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/migrations.ts";
import { readAs } from "#store/read-as.store.ts";
import { ensureTenant, type Tenant } from "#store/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { readSearched } from "./read-searched.ts";
import { postingsOf, type Reading } from "./segment-memory.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "memory", name: "memory" });
  await seedBuild(database, { tenant, repo: "acme/memory", files: { "a.txt": "one two three", "b.txt": "two three four" } });
});

afterAll(() => database.drop());

async function startReading() {
  const scope = { tenant };
  const { segments } = await readSearched(database, scope, 10_000);
  let reads = 0;
  let failures = 0;
  const read: Reading["read"] = async (work) => {
    reads++;
    if (failures > 0) {
      failures--;
      throw new Error("the database is away");
    }
    return readAs(database, tenant, 10_000, work);
  };
  return {
    ask: (terms: readonly string[]) => postingsOf({ database, scope, segments, read }, terms),
    fail: (times: number) => (failures = times),
    reads: () => reads,
  };
}

test("searches that ask for the same words at once read them once", async () => {
  const { ask, reads } = await startReading();
  const answers = await Promise.all([ask(["one", "two"]), ask(["two", "one"]), ask(["two", "three"]), ask(["three"])]);
  expect(reads()).toBe(2);
  expect(
    answers.map((answer) => [...answer].map(([term, bySegment]) => [term, [...bySegment.values()].map((list) => list?.ordinals.length)])),
  ).toEqual([
    [
      ["one", [1]],
      ["two", [2]],
    ],
    [
      ["two", [2]],
      ["one", [1]],
    ],
    [
      ["two", [2]],
      ["three", [2]],
    ],
    [["three", [2]]],
  ]);
  await ask(["one", "two", "three"]);
  expect(reads()).toBe(2);
});

test("who waited for a read that failed reads it", async () => {
  const { ask, fail, reads } = await startReading();
  fail(1);
  const [failed, waited] = await Promise.allSettled([ask(["four"]), ask(["four"])]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "the database is away" } });
  expect(waited.status === "fulfilled" && [...(waited.value.get("four")?.values() ?? [])].map((list) => list?.ordinals.length)).toEqual([
    1,
  ]);
  expect(reads()).toBe(2);
});
