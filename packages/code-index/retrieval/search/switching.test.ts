import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { sweepTenant } from "#store/index/sweep.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { readCoverage, readFile, readTree } from "#retrieval/files/read-file.ts";
import { createSearchState, search } from "./search.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
});

afterAll(() => database.drop());

/** A build of which every part tells its version: path, number of lines, number of chunks, text and commit. */
async function switchTo(version: number): Promise<void> {
  const part = `const mixed = "version ${version}";\n\n`;
  const files = { "same.ts": part.repeat(1 + (version % 7)), [`only-${version}.ts`]: part };
  await seedBuild(database, { tenant, repo: "acme/moving", commit: String(version), files });
  await sweepTenant(database, tenant);
}

const READS = 4;
/** On a cluster each is swept some seconds later. */
const SWITCHES = inject("workerUrls").length === 0 ? 40 : 10;

test("no answer mixes two commits or misses the new one while builds are switched and the old ones swept", needsRealPostgres, async () => {
  await switchTo(0);
  const switching = new AbortController();
  const seen = { commits: new Set<string>(), found: 0 };
  const scope = { tenant, repo: "acme/moving" };
  const oneCommit = (commit: string, text: string) => {
    seen.commits.add(commit);
    expect([...new Set(text.match(/version \d+/g))]).toEqual([`version ${commit}`]);
  };
  const readers = Array.from({ length: READS }, async () => {
    while (!switching.signal.aborted) {
      const file = await readFile(database, scope, { path: "same.ts" });
      oneCommit(file.commit, file.content);
      expect(file.content.split("version").length - 1).toBe(1 + (Number(file.commit) % 7));
      const tree = await readTree(database, scope);
      expect(tree.files.map(({ path }) => path)).toEqual([`only-${tree.commit}.ts`, "same.ts"]);
      const coverage = await readCoverage(database, scope, "same.ts");
      expect(coverage.chunks).toBe(1 + (Number(coverage.commit) % 7));
      const { results } = await search(
        { ...createSearchState(), database, log: silentLog, embedder: undefined },
        { tenant },
        { query: "mixed version", limit: 50 },
      );
      seen.found += results.length;
      for (const { commit, content, path } of results) {
        oneCommit(commit, content);
        expect(path).toMatch(new RegExp(`^(?:same|only-${commit})\\.ts$`));
      }
    }
  });
  const reading = Promise.all(readers);
  try {
    for (let version = 1; version <= SWITCHES; version++) {
      await switchTo(version);
    }
  } finally {
    switching.abort();
  }
  await reading;
  expect(seen.commits.size).toBeGreaterThan(5);
  expect(seen.found).toBeGreaterThan(SWITCHES);
});
