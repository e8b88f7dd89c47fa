import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import { readSearched } from "#retrieval/scope/read-searchable.ts";
import { runLeg } from "./leg.ts";
import { LEGS } from "./legs.ts";
import { searchExactly } from "./search-exactly.ts";
import { createSegmentMemory } from "#retrieval/bm25/segment-memory.ts";

/** One for all tests, as a process that searches has one for all searches. */
const memory = createSegmentMemory();

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

/** Enough that common trigrams are looked through in several steps. */
const FILES = Object.fromEntries(
  Array.from({ length: 10 }, (_, file) => [
    `src/file${file}.txt`,
    Array.from(
      { length: 60 },
      (__, chunk) => `common words ${file}_${chunk}\n${chunk === 7 && file % 5 === 0 ? "Straße getURLFor(ΟΔΟΣ)" : ""}`,
    ).join("\n\n"),
  ]),
);

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "exact", name: "exact" });
  await seedBuild(database, { tenant, repo: "acme/exact", files: FILES });
  await seedBuild(database, { tenant, repo: "acme/other", files: { "b.txt": "nothing but geturlfor_more" } });
});

afterAll(() => database.drop());

async function find(literal: string | readonly string[], repo?: string, path?: string, limit = 1_000) {
  const literals = [literal].flat();
  const query = { ...parseQuery(literals.join(" ")), literals, names: [] };
  const scope = { tenant, ...(repo === undefined ? {} : { repo }), ...(path === undefined ? {} : { path }) };
  const { chunkIds } = await searchExactly({
    database,
    memory,
    scope,
    query,
    ...(await readSearched(database, scope, 10_000)),
    limit,
    deadlineMs: 10_000,
  });
  return chunkIds;
}

/** What the texts themselves say. */
async function holding(literal: string, repo = "%"): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${sql.id(tenant.schema, "code_chunks")} as chunk
    join ${sql.id(tenant.schema, "files")} as file using (document_id) join ${sql.id(tenant.schema, "refs")} as ref using (generation)
    join ${sql.id(tenant.schema, "repositories")} as repository on repository.id = ref.repo_id
    where chunk.content ilike ${`%${literal.replaceAll("_", "\\_")}%`} and repository.full_name like ${repo}
  `.execute(database.query);
  return rows.map((row) => row.chunk_id);
}

const LITERALS = [
  "geturl",
  "GETURLFOR(",
  "straße",
  "οδος",
  "οδοσ",
  "common words 6_9",
  "words",
  "urlfor_m",
  "r(",
  "nowhere",
  "words 9_567",
];

test.for(LITERALS)("the chunks that hold %s are found, and no others", async (literal) => {
  expect((await find(literal)).toSorted((one, other) => one - other)).toEqual(
    (await holding(literal)).toSorted((one, other) => one - other),
  );
});

test("what holds all that was asked for is not crowded out by what holds a common part of it", async () => {
  const whole = await holding("common words 9_59");
  expect(whole).toHaveLength(1);
  const found = await find(["common words 9_59", "words"], undefined, undefined, 100);
  expect({ first: found.slice(0, 1), count: found.length }).toEqual({ first: whole, count: 100 });
});

test("only what the scope sees is found", async () => {
  expect(await find("geturlfor", "acme/other")).toEqual(await holding("geturlfor", "acme/other"));
  expect(await find("words", undefined, "file6")).toHaveLength(60);
});

test.each(Object.entries(LEGS))("the leg %s has its limits, and answers with chunks or says why it has none", async (_name, leg) => {
  expect(leg.deadlineMs).toBeGreaterThan(0);
  expect(leg.hits.deep).toBeGreaterThan(leg.hits.usual);
  const given = {
    database,
    memory,
    scope: { tenant },
    ...(await readSearched(database, { tenant }, 10_000)),
    limit: 10,
    deadlineMs: 10_000,
  };
  const said = parseQuery("common words");
  for (const query of [said, { ...said, text: "", literals: [], queryTerms: [] }]) {
    const { chunkIds, state } = await leg.search({ ...given, query });
    expect(chunkIds.length > 0 && chunkIds.length <= 10 ? "ok" : state).toMatch(
      leg.findsText && query === said ? /^ok$/ : /^(?:skipped|pending)$/,
    );
  }
  const failed = await runLeg({ ...leg, search: () => new Promise(() => undefined), deadlineMs: 1, onError: () => undefined });
  expect(failed.state).toMatchObject({ state: "timeout", reason: expect.stringContaining(leg.advice) });
});

test("a segment from before there were trigrams is gone through chunk by chunk", async () => {
  await sql`delete from ${sql.id(tenant.schema, "trigrams")}`.execute(database.query);

  expect(await find("getURLFor")).toHaveLength(3);
  expect(await find("nowhere")).toEqual([]);
});

test("texts that there is no time to compare are said to be missing", async () => {
  const query = { ...parseQuery("words"), literals: ["words"], names: [] };
  const scope = { tenant };
  const answer = await searchExactly({
    database,
    memory,
    scope,
    query,
    ...(await readSearched(database, scope, 10_000)),
    limit: 1_000,
    deadlineMs: 0,
  });
  expect(answer).toMatchObject({ chunkIds: [], state: "timeout", reason: expect.stringContaining("600 chunks that may hold the text") });
});
