import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { narrower } from "#retrieval/scope/read-scope.ts";
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

/** As many as the searches that have their turn ask for at once. */
const CONNECTIONS = 12;
const PATIENCE_MS = 180_000;

test(
  "many searches at once are all answered whole: they wait their turn, and only then their time begins to run",
  { timeout: PATIENCE_MS },
  async () => {
    const own = createDatabase<CodeIndexTables>({ url: database.url, poolSize: CONNECTIONS, applicationName: "test", log: silentLog });
    const shared = { ...createSearchState({ waitMs: PATIENCE_MS }), database: own, log: silentLog, embedder: undefined };
    const timed = new Set<number>();
    let atOnce = 0;
    // Whoever is slow here is not late: what counts is for how many the time runs, from when it is asked how long it is.
    const startTime = (at: number) => {
      timed.add(at);
      atOnce = Math.max(atOnce, timed.size);
      return PATIENCE_MS;
    };
    const deadlinesOf = (at: number) => ({
      get bm25() {
        return startTime(at);
      },
      get exact() {
        return startTime(at);
      },
      get semantic() {
        return startTime(at);
      },
    });

    const taken = await Promise.all(Array.from({ length: CONNECTIONS }, () => own.pool.connect()));
    const answers = Promise.all(
      Array.from({ length: 80 }, async (_, at) => {
        const query = `needle number${at} haystack`;
        const answer = await search({ ...shared, deadlines: deadlinesOf(at) }, { tenant }, { query, limit: 5 });
        timed.delete(at);
        return answer;
      }),
    );
    await expect.poll(() => own.pool.waitingCount).toBeGreaterThan(0);
    expect([own.pool.waitingCount, timed.size]).toEqual([4, 0]);
    taken.forEach((connection) => connection.release());
    expect((await answers).filter(({ partial, results }) => partial || results.length === 0)).toEqual([]);
    expect(atOnce).toBe(4);
    await own.close();
  },
);

test(
  "where nothing had time to answer all may take longer once, and whoever can ask for no less is told that the server is busy",
  needsRealPostgres,
  async () => {
    const shared = { ...createSearchState(), database, log: silentLog, embedder: undefined };
    let asked = 0;
    const deadlines = {
      get bm25() {
        asked++;
        return 50;
      },
      exact: 50,
      semantic: 50,
    };
    const ask = async (query: string, repo?: string) => search({ ...shared, deadlines }, { tenant }, { query, repo, limit: 5 });
    const holder = await database.pool.connect();
    try {
      await holder.query(`begin; lock table "${tenant.schema}".postings, "${tenant.schema}".trigrams, "${tenant.schema}".code_chunks`);
      await expect(ask("needle haystack", "acme/words")).rejects.toThrow(
        /^No leg of the search could answer: no answer within 100 ms; the server is busy, ask again;/,
      );
      expect(asked).toBe(2);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    expect((await search(shared, { tenant }, { query: "needle haystack", repo: "acme/words", limit: 5 })).results).toHaveLength(5);
  },
);

test.for([
  [{}, "name a repository or a path or a language"],
  [{ repo: "a/b" }, "the server is busy, ask again, or name a path or a language"],
  [{ repo: "a/b", path: "src/", lang: "go" }, "the server is busy, ask again"],
] as const)("the advice for %j is none that was followed already", ([given, advice]) => {
  expect(narrower({ tenant, ...given })).toBe(advice);
});
