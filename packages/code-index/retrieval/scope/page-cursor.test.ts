import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import { listFolder } from "#retrieval/files/list-files.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repoId: string;

const REPO = "acme/pages";

beforeAll(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  const files = Array.from({ length: 40 }, (_, file) => [`src/f${file}.ts`, `export function load${file}() {\n  return fetchIt();\n}\n`]);
  await source.commit(Object.fromEntries(files));
  repoId = await fixture.register(tenant, REPO, source.url);
  await fixture.run({ tenant, repoId });
});

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

const symbols = (cursor?: string) => findSymbols(fixture.finding, { tenant }, { name: "load", limit: 10, cursor });
const references = (cursor?: string) => findReferences(fixture.finding, { tenant }, { symbol: "fetchIt", all: false, limit: 10, cursor });
const folder = () => listFolder(fixture.database, { tenant, repo: REPO }, {});

test("a list goes on with its cursor until a push of few files, which would make it skip or repeat some", async () => {
  const [symbolsNext, referencesNext] = [(await symbols()).next_cursor ?? "", (await references()).next_cursor ?? ""];
  const listed = (await folder()).paging.cursorAfter(10);
  expect((await symbols(symbolsNext)).symbols).toHaveLength(10);
  expect((await references(referencesNext)).references).toHaveLength(10);
  expect((await folder()).paging.shownBefore(listed)).toBe(10);

  source.git("rm", "--quiet", "src/f0.ts", "src/f1.ts");
  await source.commit({});
  await fixture.run({ tenant, repoId });

  const outdated = { code: "invalid_cursor", status: 400 };
  await expect(symbols(symbolsNext)).rejects.toMatchObject(outdated);
  await expect(references(referencesNext)).rejects.toMatchObject(outdated);
  const { paging } = await folder();
  expect(() => paging.shownBefore(listed)).toThrow("start again without it");
});
