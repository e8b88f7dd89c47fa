import * as fc from "fast-check";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchAnswer } from "#contract.ts";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { createSearchState, search } from "#retrieval/search/search.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

const WORDS = ["alpha", "beta", "Gamma", "delta_x", "ab", "100%", "a.b", "(x)", "été", "🚀 go", "ſtop", "\\n"];
const FOLDERS = ["src", "src/lib", "Test", "a_b"];

/** Each file is one chunk. */
const FILES = Object.fromEntries(
  Array.from({ length: 80 }, (_, file) => [
    `${FOLDERS[file % FOLDERS.length]}/f${file}.ts`,
    Array.from(
      { length: 4 },
      (__, line) => `${WORDS[(file * 7 + line * 5) % WORDS.length]} common ${WORDS[(file + line * 3) % WORDS.length]}\n`,
    ).join(""),
  ]),
);
/** More than the legs look through at first. */
const MANY = 600;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  await seedBuild(database, { tenant, repo: "acme/words", files: FILES });
  const lines = Array.from({ length: MANY }, (_, line) => `needle ${line % 100 === 7 ? "kept" : "dropped"} ${line}\n`);
  await seedBuild(database, { tenant, repo: "acme/many", files: { "many.txt": lines.join("\n") } });
});

afterAll(() => database.drop());

function ask(query: string, repo: string): Promise<SearchAnswer> {
  return search({ ...createSearchState(), database, log: silentLog, embedder: undefined }, { tenant }, { query, repo, limit: 50 });
}

type FoundAll = { readonly paths: readonly string[]; readonly answer: SearchAnswer; readonly notes: readonly string[] };

async function findAll(query: string, repo: string): Promise<FoundAll> {
  const answers = [await ask(query, repo)];
  for (let next = answers[0]?.next_cursor; typeof next === "string"; next = answers.at(-1)?.next_cursor) {
    const cursor = next;
    answers.push(
      await search(
        { ...createSearchState(), database, log: silentLog, embedder: undefined },
        { tenant },
        { query, repo, limit: 50, cursor },
      ),
    );
  }
  const [answer = await ask(query, repo)] = answers;
  // Most texts are read only for the page that shows them.
  expect(answers.flatMap(({ results }) => results).filter(({ content }) => content === "")).toEqual([]);
  const paths = answers.flatMap(({ results }) => results.map(({ path, start_line: line }) => `${path}:${line}`));
  return { paths, answer, notes: answers.flatMap(({ notes }) => notes) };
}

const word = fc.constantFrom(...WORDS, "common", "nowhere");
const condition = fc.record({ text: word, isRegex: fc.boolean(), negated: fc.boolean() });
const alternative = fc.array(condition, { minLength: 1, maxLength: 3 }).filter((conditions) => conditions.some(({ negated }) => !negated));
const filter = fc.constantFrom("", "path:src", "path:/src/*.ts", "-path:src/lib", "path:a_b path:test", "-path:*1.ts");

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

function written({ text, isRegex, negated }: { text: string; isRegex: boolean; negated: boolean }): string {
  return `${negated ? "-" : ""}${isRegex ? `/${escaped(text)} ?/` : `"${text.replaceAll("\\", "\\\\")}"`}`;
}

const PATHS: Readonly<Record<string, (path: string) => boolean>> = {
  "": () => true,
  "path:src": (path) => path.includes("src"),
  "path:/src/*.ts": (path) => path.startsWith("src/"),
  "-path:src/lib": (path) => !path.includes("src/lib"),
  "path:a_b path:test": (path) => path.startsWith("a_b") || path.startsWith("Test"),
  "-path:*1.ts": (path) => !path.endsWith("1.ts"),
};

test("what is found is what the texts themselves say, whatever is asked for, excluded and narrowed down", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(alternative, { minLength: 1, maxLength: 3 }), filter, fc.boolean(), async (alternatives, paths, cased) => {
      const query = `${alternatives.map((conditions) => conditions.map(written).join(" ")).join(" OR ")} ${paths}${cased ? " case:yes" : ""}`;
      const holds = (content: string, text: string) => new RegExp(escaped(text), cased ? "u" : "iu").test(content);
      const expected = Object.entries(FILES).filter(
        ([path, content]) =>
          (PATHS[paths]?.(path) ?? false) &&
          alternatives.some((conditions) => conditions.every(({ text, negated }) => holds(content, text) !== negated)),
      );
      const { paths: found, answer } = await findAll(query, "acme/words");
      expect(answer.partial).toBe(false);
      expect(found.toSorted(), query).toEqual(expected.map(([path]) => `${path}:1`).toSorted());
    }),
    { numRuns: 40 },
  );
});

test("an exclusion that most of what the words find falls to leaves nothing out that is left", async () => {
  const { paths, answer } = await findAll("needle -dropped", "acme/many");
  expect(answer.partial).toBe(false);
  expect(paths.length).toBe(MANY / 100);
  expect((await findAll("needle -/drop+ed/ kept", "acme/many")).paths.length).toBe(MANY / 100);
});

test("a condition that many places meet is met by all that are named, and that there are more is said", async () => {
  const { paths, answer } = await findAll('"dropped"', "acme/many");
  expect(paths.length).toBeGreaterThanOrEqual(100);
  expect(new Set(paths).size).toBe(paths.length);
  expect(answer.partial).toBe(false);
});

test.for(["/./", '-"nowhere"', "needle"])("that more places than are ranked meet %s is said", async (query) => {
  const { paths, notes } = await findAll(`${query} path:many`, "acme/many");
  expect(paths.length).toBeLessThan(MANY);
  expect(notes).toEqual([`Only the best ${paths.length} places are ranked; narrow the query for others.`]);
});

test("an expression without a word is looked for everywhere, by the index", { timeout: 60_000 }, async () => {
  for (let part = 0; part < 11; part++) {
    const lines = Array.from({ length: MANY }, (_, line) => `${part} ${line} ${part === 10 && line === MANY - 1 ? "!?=" : ""}\n`);
    await seedBuild(database, { tenant, repo: `large/part${part}`, files: { [`${part}.txt`]: lines.join("\n") } });
  }
  const query = String.raw`/!\?=/ repo:large/*`;
  const answer = await search({ ...createSearchState(), database, log: silentLog, embedder: undefined }, { tenant }, { query, limit: 50 });
  expect(answer).toMatchObject({ partial: false, notes: [], results: [{ path: "10.txt" }] });
});

test("expressions that are large together are refused, as each of them alone would be", async () => {
  const query = Array.from({ length: 8 }, (_, at) => `/[ab][^Z]{900}[X${at}]/`).join(" OR ");
  const refused = search({ ...createSearchState(), database, log: silentLog, embedder: undefined }, { tenant }, { query, limit: 10 });
  await expect(refused).rejects.toMatchObject({ code: "invalid_query", message: expect.stringContaining("too large together") });
});

test("looking that had to stop says so", async () => {
  const deadlines = { bm25: 2_000, exact: 1, semantic: 1 };
  const request = { query: "/n.e.d.*k.p./", repo: "acme/many", limit: 50 };
  const answer = await search({ ...createSearchState(), database, log: silentLog, embedder: undefined, deadlines }, { tenant }, request);
  expect(answer).toMatchObject({ partial: true, notes: [expect.stringContaining("Not every place was held against")] });
});

test.for(["needle", "path:many", "needle -kept"])("every place of every page of %s has its text", async (query) => {
  const { paths } = await findAll(query, "acme/many");
  expect(paths.length).toBeGreaterThan(query === "path:many" ? 0 : 100);
});
