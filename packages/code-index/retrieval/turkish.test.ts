import { createOddDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeIndexMigrations } from "#index.ts";
import type { CodeIndexTables } from "#schema.ts";
import { lastName } from "#store/tenancy/tenant-template.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let index: RunningCodeIndex;

beforeAll(async () => {
  index = await startCodeIndex({ database: await createOddDatabase<CodeIndexTables>({}, codeIndexMigrations) });
  await index.index("ACME/MINI", {
    "SRC/INDEX.ts": "export class INITIALIZER {}\n// İSTANBUL, IRMAK\nexport function FindItem() { return new INITIALIZER(); }\n",
  });
});
afterAll(() => index.stop());

const ask = async (method: "GET" | "POST", url: string, payload?: object) => {
  const answer = await index.server.inject({
    method,
    url: `/api/v1${url}`,
    headers: index.asAdmin(),
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.body };
};

test.each([
  "initializer repo:acme/mini",
  "initializer repo:mini path:src/",
  "initializer file:*index.ts",
  "finditem",
  "symbol:init*",
  "irmak",
  '"class initializer"',
  "/class initializer/i",
  "src/index.ts:1",
])("in a Turkish database %s is found", needsRealPostgres, async (query) => {
  const { status, body } = await ask("POST", "/search", { query, limit: 10 });
  expect(status, body).toBe(200);
  expect(body).toContain('"path":"SRC/INDEX.ts"');
});

test("and names of symbols, files and repositories are found in either case", needsRealPostgres, async () => {
  expect((await ask("GET", "/symbols?name=initializer&repo=acme/mini")).body).toContain('"name":"INITIALIZER"');
  expect((await ask("GET", "/symbols?name=INITIALIZER")).body).toContain('"name":"INITIALIZER"');
  const again = await ask("POST", "/repos", { full_name: "acme/mini", clone_url: "https://github.com/acme/mini.git" });
  expect(again).toMatchObject({ status: 409, body: expect.stringContaining("hosts don't tell capital letters apart") });
});

test("and an index serves a symbol's name", needsRealPostgres, async () => {
  const { rows } = await sql<{ schema: string }>`select schemaname as schema from pg_indexes where indexname = 'symbols_last_name'`.execute(
    index.database.query,
  );
  const plan = await index.database.query.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    return (
      await sql`explain select from ${sql.id(rows[0]?.schema ?? "", "symbols")} as symbol where ${lastName(sql`symbol.name`)} like 'init%'`.execute(
        transaction,
      )
    ).rows;
  });
  expect(JSON.stringify(plan)).toContain("symbols_last_name");
});
