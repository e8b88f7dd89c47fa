import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { createSearchState, search } from "./search.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  const files = Array.from({ length: 200 }, (_, file) => [`f${file}.ts`, `needle number${file} in a haystack of words\n`]);
  await seedBuild(database, { tenant, repo: "acme/words", files: Object.fromEntries(files) });
});

afterAll(() => database.drop());

test("many searches at once are all answered whole: they wait their turn instead of running out of time together", async () => {
  const small = createDatabase<CodeIndexTables>({ url: database.url, poolSize: 1, applicationName: "test", log: silentLog });
  const deadlines = { bm25: 300, exact: 300, semantic: 300 };
  const dependencies = { ...createSearchState(), database: small, log: silentLog, embedder: undefined, deadlines };
  const answers = await Promise.all(
    Array.from({ length: 80 }, async (_, at) => search(dependencies, { tenant }, { query: `needle number${at} haystack`, limit: 5 })),
  );
  expect(answers.filter(({ partial, results }) => partial || results.length === 0)).toEqual([]);
  await small.close();
});
