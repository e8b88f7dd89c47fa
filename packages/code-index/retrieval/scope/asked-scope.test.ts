import { afterAll, beforeAll, expect, test } from "vitest";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { grepRequestSchema, type GrepRequest } from "#contract.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import { createGrepLimit, grep } from "#retrieval/grep/grep.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;

beforeAll(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  await source.commit({
    "lib/shop.py": "def start():\n    return 1\n\ndef run():\n    return start()\n",
    "lib/shop.go": "package shop\n",
    "web/yarn.lock": "start@1\n",
    "web/old/shop.min.js": "start()",
    "web/new/shop.min.js": "start()",
    "web/logo.png": "start\0",
  });
  await fixture.run({ tenant, repoId: await fixture.register(tenant, "acme/shop", source.url) });
});

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

type Where = Pick<GrepRequest, "lang" | "path" | "repo">;

/** What each way to look for a name finds, and says. */
const WAYS: Readonly<Record<string, (where: Where) => Promise<{ readonly found: number | null; readonly notes: readonly string[] }>>> = {
  grep: async (where) => {
    const { total, notes } = await grep(
      { database: fixture.database, memory: createIndexMemory(), limit: createGrepLimit() },
      { tenant },
      grepRequestSchema.parse({ pattern: "start", ...where }),
    );
    return { found: total, notes };
  },
  symbols: async (where) => {
    const { total, notes } = await findSymbols(fixture.finding, { tenant }, { name: "start", limit: 20, ...where });
    return { found: total, notes };
  },
  references: async (where) => {
    const { total, notes } = await findReferences(fixture.finding, { tenant }, { symbol: "start", all: false, limit: 50, ...where });
    return { found: total, notes };
  },
};

test.for(Object.entries(WAYS))("%s: a language goes by its short names, and a blank is as if left out", async ([, look]) => {
  const { found } = await look({ lang: "python" });
  expect(found).toBeGreaterThan(0);
  for (const where of [{ lang: "py" }, { lang: "Python" }, { lang: "" }, { path: "" }, { repo: "" }]) {
    expect({ where, ...(await look(where)) }).toMatchObject({ found });
  }
});

test.for(Object.entries(WAYS))("%s: filters that let no file through are told, and others are not", async ([, look]) => {
  const told = (text: RegExp) => ({ found: 0, notes: expect.arrayContaining([expect.stringMatching(text)]) });
  expect(await look({ lang: "cobol" })).toEqual(told(/^No indexed file is of the language cobol; the languages of .* are go, python\.$/));
  expect(await look({ path: String.raw`.*\.py$` })).toEqual(told(/; a path is not read as a regular expression: \* stands for anything/));
  expect(await look({ lang: "python", path: "lib/*.go" })).toEqual(told(/^No indexed file is of the path lib\/\*\.go, language python; /));
  const { notes } = await look({ lang: "go" });
  expect(notes.filter((note) => note.startsWith("No indexed file"))).toEqual([]);
});

test.for(Object.entries(WAYS))(
  "%s: files with text that are not searched are told, with the reason and where they are",
  async ([, look]) => {
    const leftOut = async (where: Where) => (await look(where)).notes.filter((note) => note.includes("not searched"));
    expect(await leftOut({})).toEqual(["3 files here are not searched (2 minified, 1 a lock file)."]);
    expect(await leftOut({ path: "web/*/" })).toEqual(["2 files here are not searched (minified)."]);
    expect(await leftOut({ path: "web/yarn.lock" })).toEqual(["1 file here is not searched (a lock file)."]);
    expect(await leftOut({ path: "lib/" })).toEqual([]);
  },
);
