import * as fc from "fast-check";
import { SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chunksHolding, type HeldText } from "#retrieval/scope/read-chunks.store.ts";
import type { CodeIndexTables } from "#schema.ts";
import { wholeWord } from "#splitting/name-lines.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, readAs, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { tenantTables } from "#testing/tenant-tables.ts";
import { findCandidates, narrowByText } from "./candidates.ts";
import { compilePattern } from "./compile-pattern.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

/** Each file is one chunk; all of these have the trigrams of `deleteState`. */
const FILES = 700;
const PARTS = ["deletedState", "delete", "let state", "isDeleteStateful", "estate"];
/** One in fifty has the word itself, one in fifty in other case. */
const lineOf = (file: number) => (file % 50 === 3 ? "deleteState()" : file % 50 === 4 ? "DELETESTATE()" : "undelete statement");
const ODD = ["a_b%c", "a.b", "(x)", "été", "🚀 go", "ſtop", "\u212Aelvin", "$value", "back\\slash", "[x]", "x{2}", "o'clock", "tab\there"];

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  const files = Array.from({ length: FILES }, (_, file) => [`f${file}.txt`, `${PARTS.join(" ")} ${lineOf(file)}\n`] as const);
  await seedBuild(database, { tenant, repo: "acme/many", files: Object.fromEntries(files) });
  const odd = ODD.flatMap((text, at) => [text, text.toUpperCase(), `_${text}`, `${text}${ODD[at + 1] ?? ""}`]);
  await seedBuild(database, { tenant, repo: "acme/odd", files: Object.fromEntries(odd.map((text, at) => [`o${at}.txt`, `${text}\n`])) });
});

afterAll(() => database.drop());

type Asked = { readonly enough?: number; readonly until?: number };

async function narrowed(held: HeldText, { enough = 10_000, until = Infinity }: Asked = {}) {
  return readAs(database, tenant, 30_000, async (query) => {
    const scope = { tenant, repo: "acme/many" };
    const pattern = compilePattern({ source: held.text, isRegex: false, isCaseSensitive: held.as !== "in either case" });
    const candidates = await findCandidates(query, scope, { ...pattern, memory: createIndexMemory() });
    const left = await narrowByText(query, scope, { candidates, held, enough, until });
    return { before: candidates?.count, after: left?.count, ids: left?.chunkIds().filter((id) => left.has(id)).length };
  });
}

test("of the chunks that have a name's trigrams those are left that have the name", async () => {
  expect(await narrowed({ text: "deleteState", as: "a whole word" })).toEqual({ before: FILES, after: 14, ids: 14 });
  // Not whole, all of them have it, which a sample tells.
  expect(await narrowed({ text: "deleteState", as: "in either case" })).toEqual({ before: FILES, after: FILES, ids: FILES });
  expect(await narrowed({ text: "deleteState()", as: "letter for letter" })).toEqual({ before: 14 * 2, after: 14 * 2, ids: 14 * 2 });
});

test("where enough of them have it, or the time is over, all are left as they are", async () => {
  expect(await narrowed({ text: "deleteState", as: "a whole word" }, { enough: 5 })).toMatchObject({ before: FILES, after: FILES });
  expect(await narrowed({ text: "deleteState", as: "a whole word" }, { until: 0 })).toMatchObject({ before: FILES, after: FILES });
});

test(`no chunk that matches is left out by the database, whatever is looked for (TEST_SEED=${SEED})`, async () => {
  const rows = await tenantTables(database, tenant.schema).selectFrom("code_chunks").select(["chunk_id", "content"]).execute();
  const texts = new Map(rows.map(({ chunk_id, content }) => [chunk_id, content]));
  const among = [...texts.keys()];
  const asked = fc.oneof(
    fc.constantFrom(...ODD, ...ODD.map((text) => text.toLowerCase()), ...ODD.map((text) => text.toUpperCase()), "STOP", "kelvin", "State"),
    fc
      .tuple(fc.constantFrom(...ODD, "deleteState"), fc.nat(4), fc.nat(6))
      .map(([text, from, length]) => text.slice(from, from + length + 1)),
  );
  const wellFormed = asked.filter((text) => text !== "" && text.isWellFormed());
  await readAs(database, tenant, 60_000, (query) =>
    fc.assert(
      fc.asyncProperty(wellFormed, async (text) => {
        for (const as of ["a whole word", "letter for letter", "in either case"] as const) {
          const held = new Set(await chunksHolding(query, { tenant }, { held: { text, as }, among }));
          const { matches } = compilePattern({ source: text, isRegex: false, isCaseSensitive: as !== "in either case" });
          const isMet = as === "a whole word" ? (content: string) => wholeWord(text).test(content) : matches;
          const textsOf = (ids: readonly number[]) => ids.map((id) => texts.get(id) ?? "");
          const missing = textsOf(among.filter((id) => !held.has(id))).filter(isMet);
          const tooMany = as === "in either case" ? [] : textsOf([...held]).filter((content) => !isMet(content));
          expect({ text, as, missing, tooMany }).toEqual({ text, as, missing: [], tooMany: [] });
        }
      }),
      { seed: SEED, numRuns: 150 },
    ),
  );
});
