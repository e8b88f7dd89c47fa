import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { readAs, ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { readSearched } from "#retrieval/scope/read-searchable.ts";
import type { Reading } from "#retrieval/scope/index-memory.ts";
import { createSegmentMemory, loadPostings } from "./segment-memory.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;
const memory = createSegmentMemory();

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
    ask: async (...words: readonly (readonly string[])[]) => {
      const found = await loadPostings(
        { memory, scope, segments, read },
        words.map((terms) => ({ terms, weight: 1 })),
      );
      return found.map((bySegment) => [...bySegment.values()].map((list) => list?.ordinals.length ?? 0));
    },
    fail: (times: number) => (failures = times),
    reads: () => reads,
  };
}

test("searches that ask for the same words at once read them once", async () => {
  const { ask, reads } = await startReading();
  const answers = await Promise.all([ask(["one"], ["two"]), ask(["two"], ["one"]), ask(["two"], ["three"]), ask(["three"])]);
  expect(reads()).toBe(2);
  expect(answers).toEqual([[[1], [2]], [[2], [1]], [[2], [2]], [[2]]]);
  await ask(["one"], ["two"], ["three"]);
  expect(reads()).toBe(2);
});

test("a word is read with its other forms, and is another thing than without them", async () => {
  const { ask, reads } = await startReading();
  expect(await ask(["two", "four", "nowhere"], ["nowhere", "one"], ["nowhere"])).toEqual([[2], [1], [0]]);
  expect(reads()).toBe(1);
  expect(await ask(["two", "four", "nowhere"])).toEqual([[2]]);
  expect(reads()).toBe(1);
});

test("who waited for a read that failed reads it", async () => {
  const { ask, fail, reads } = await startReading();
  fail(1);
  const [failed, waited] = await Promise.allSettled([ask(["four"]), ask(["four"])]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "the database is away" } });
  expect(waited).toEqual({ status: "fulfilled", value: [[1]] });
  expect(reads()).toBe(2);
});
