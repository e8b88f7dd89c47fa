import { afterEach, beforeEach, expect, test } from "vitest";
import { sql } from "kysely";
import { MAX_CHANGED_FILES, savedQuerySchema, type SavedQuery } from "#contract.ts";
import { keepOneHistory } from "#indexing/history/keep-history.ts";
import { markRepository } from "#store/records/deletions.store.ts";
import { sweepTenant } from "#store/index/sweep.store.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { changeSavedSearch, deleteSavedSearch, listAlerts, listSavedSearches, saveSearch } from "./saved-searches.store.ts";

const PERSON = "person-1";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repoId: string;

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  repoId = await fixture.register(tenant, "acme/shop", source.url);
});

afterEach(async () => {
  await fixture.stop();
  await source.remove();
});

type Asked = Pick<SavedQuery, "kind" | "query"> & Partial<SavedQuery>;

async function watch(asked: Asked, userId = PERSON): Promise<string> {
  const of = { tenantId: tenant.tenantId, userId };
  const query = savedQuerySchema.parse(asked);
  const saved = await saveSearch(fixture.database, { ...of, name: asked.query, query, now: new Date() });
  await changeSavedSearch(fixture.database, { ...of, id: saved?.id ?? "" }, { watch: true });
  return saved?.id ?? "";
}

/** Has the newest commit of the branch indexed, and its history kept, by as many indexers as are wanted. */
async function push(
  files: Readonly<Record<string, string>>,
  { ref, indexers = 1 }: { ref?: string; indexers?: number } = {},
): Promise<string> {
  const commit = await source.commit(files);
  await fixture.run({ tenant, repoId, ...(ref === undefined ? {} : { ref }) });
  await keep(indexers);
  return commit;
}

async function keep(indexers = 1): Promise<void> {
  const never = new AbortController().signal;
  await Promise.all(
    Array.from({ length: indexers }, async () => {
      while (await keepOneHistory({ ...fixture.tools, depth: 10 }, never)) {
        // The next branch.
      }
    }),
  );
}

async function found(id: string, userId = PERSON, of = tenant) {
  return listAlerts(fixture.database, { tenant: of }, { tenantId: of.tenantId, userId, id });
}

async function linesOf(id: string): Promise<readonly string[]> {
  return (await found(id)).toReversed().flatMap(({ lines }) => lines.map(({ path, line, text }) => `${path}:${line}:${text}`));
}

test("a push that adds a matching line is told once, and a first build is not", async () => {
  const id = await watch({ kind: "grep", query: "eval(" });
  const base = await push({ "a.js": "one\neval(1)\n", "b.js": "two\n" });
  expect(await found(id)).toEqual([]);

  const commit = await push({ "a.js": "zero\none\neval(1)\n  Eval(2); // é\n", "b.js": "two\n" }, { indexers: 2 });
  const [alert, ...others] = await found(id);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ repo: "acme/shop", ref: "main", base, commit, matches: 1, note: null, is_new: true });
  expect(await linesOf(id)).toEqual(["a.js:4:Eval(2); // é"]);

  // As after an indexer that was killed when it had told and not said so: the branch is looked at again.
  await sql`update codeindex.histories set commit = ${base}`.execute(fixture.database.query);
  await keep(2);
  expect(await found(id)).toHaveLength(1);

  // What was added before is not told again, and what was taken away neither.
  await push({ "a.js": "zero\n  Eval(2); // é\n", "c.md": "nothing\n" });
  expect(await found(id)).toHaveLength(1);
});

test("a regular expression, a name, a quoted text: as grep and search read them, with their filters", async () => {
  await push({ "a.go": "package a\n" });
  const expected: readonly (readonly [Asked, readonly string[]])[] = [
    [{ kind: "grep", query: "^func \\w+Token", regex: true, match_case: true }, ["src/a.go:2:func newToken() {}"]],
    [{ kind: "grep", query: "TOKEN", match_case: true }, ["src/b.ts:1:const TOKEN = 1;"]],
    [{ kind: "grep", query: "token", lang: "go" }, ["src/a.go:2:func newToken() {}"]],
    [{ kind: "grep", query: "token", path: "*.ts" }, ["src/b.ts:1:const TOKEN = 1;"]],
    [{ kind: "grep", query: "token", repo: "acme/other" }, []],
    [{ kind: "grep", query: "token", ref: "release" }, []],
    [{ kind: "grep", query: "(?s)zeta.*eta", regex: true }, ["src/c.md:1:zeta", "src/c.md:2:theta"]],
    [{ kind: "search", query: "newToken" }, ["src/a.go:2:func newToken() {}"]],
    [{ kind: "search", query: "Token" }, ["src/b.ts:1:const TOKEN = 1;"]],
    [{ kind: "search", query: '"token" -func lang:go' }, []],
    [{ kind: "search", query: '"token" -const repo:acme/*' }, ["src/a.go:2:func newToken() {}"]],
    [{ kind: "search", query: '/T[o]ken/ OR "zeta" case:yes' }, ["src/a.go:2:func newToken() {}", "src/c.md:1:zeta"]],
    [{ kind: "search", query: "token -path:src" }, []],
  ];
  const ids = [];
  for (const [asked] of expected) {
    ids.push(await watch(asked));
  }
  await push({ "src/a.go": "package b\nfunc newToken() {}\n", "src/b.ts": "const TOKEN = 1;\n", "src/c.md": "zeta\ntheta\n" });
  expect(await Promise.all(ids.map(linesOf))).toEqual(expected.map(([, lines]) => lines));
});

test("only files that are searched are looked at", async () => {
  await push({ ".sightlineignore": "vendor/\n", "a.txt": "a\n" });
  const id = await watch({ kind: "grep", query: "needle" });
  await push({ "vendor/a.txt": "needle\n", "package-lock.json": "needle\n", "b.bin": "needle\0\n", "b.txt": "needle\n" });
  expect(await linesOf(id)).toEqual(["b.txt:1:needle"]);
});

test("each person is told of their own searches; of a repository that is gone nobody, and of another tenant's none", async () => {
  await push({ "a.txt": "a\n" });
  const [one, other] = [await watch({ kind: "grep", query: "needle" }), await watch({ kind: "grep", query: "needle" }, "person-2")];
  const foreign = await fixture.tenant("two");
  await push({ "a.txt": "a\nneedle\n" });
  expect(await found(one)).toHaveLength(1);
  expect(await found(other, "person-2")).toHaveLength(1);
  const kept = { tenant, repositories: [] };
  expect(await listAlerts(fixture.database, kept, { tenantId: tenant.tenantId, userId: PERSON, id: one })).toEqual([]);
  expect(await found(other)).toEqual([]);
  expect(await found(one, PERSON, foreign)).toEqual([]);

  await source.commit({ "a.txt": "a\nneedle\nneedle\n" });
  await fixture.run({ tenant, repoId });
  await markRepository(fixture.database, { tenantId: tenant.tenantId, repoId, now: new Date() });
  await keep();
  expect(await found(one)).toEqual([]);
  expect(await listSavedSearches(fixture.database, { tenantId: tenant.tenantId, userId: PERSON })).toMatchObject([{ unread: 0 }]);
  const { rows } = await sql`select from codeindex.watch_alerts`.execute(fixture.database.query);
  expect(rows).toHaveLength(2);
});

test("what is deleted takes its lines with it", async () => {
  await push({ "a.txt": "a\n" });
  const id = await watch({ kind: "grep", query: "needle" });
  const kept = await watch({ kind: "grep", query: "needles" });
  await push({ "a.txt": "needles\n" });
  const lines = async () => (await sql`select from ${sql.id(tenant.schema, "watch_lines")}`.execute(fixture.database.query)).rows.length;
  expect(await lines()).toBe(2);
  await deleteSavedSearch(fixture.database, { tenantId: tenant.tenantId, userId: "person-2", id: kept, now: new Date() });
  await deleteSavedSearch(fixture.database, { tenantId: tenant.tenantId, userId: PERSON, id, now: new Date() });
  await sweepTenant(fixture.database, tenant);
  expect(await lines()).toBe(1);
  expect(await linesOf(kept)).toEqual(["a.txt:1:needles"]);
});

test("a branch that was rewritten is compared with what it was", async () => {
  await push({ "a.txt": "a\n" });
  const id = await watch({ kind: "grep", query: "needle" });
  source.git("checkout", "--quiet", "--orphan", "again");
  source.git("branch", "--delete", "--force", "main");
  source.git("checkout", "--quiet", "-b", "main");
  await push({ "a.txt": "a\nneedle\n" });
  expect(await linesOf(id)).toEqual(["a.txt:2:needle"]);
});

test("an expression that is slow, and lines that machines wrote, are bounded", async () => {
  await push({ "a.txt": "a\n" });
  const slow = await watch({ kind: "grep", query: "(?s)(.{0,900}b?)x", regex: true });
  const quick = await watch({ kind: "grep", query: "needle" });
  const lines = Array.from({ length: 200 }, () => "a".repeat(1_000)).join("\n");
  await push({ "a.txt": `a\n${lines}\n`, "b.txt": `${"n".repeat(20_000)} needle\nneedle\n` });
  expect(await linesOf(quick)).toEqual(["b.txt:2:needle"]);
  expect(await found(slow)).toMatchObject([{ matches: 0, note: "Of the added places 1 took too long to be looked at." }]);
});

test("of a huge push the first files are looked at, and the alert says so", { timeout: 120_000 }, async () => {
  await push({ "a.txt": "a\n" });
  const id = await watch({ kind: "grep", query: "needle" });
  const elsewhere = await watch({ kind: "grep", query: "needle", repo: "acme/other" });
  const files = Array.from({ length: MAX_CHANGED_FILES + 5 }, (_, at) => [`f${String(at).padStart(5, "0")}.txt`, `needle ${at}\n`]);
  await push(Object.fromEntries(files));
  expect(await found(id)).toMatchObject([
    { matches: MAX_CHANGED_FILES, note: `Only the first ${MAX_CHANGED_FILES} of ${MAX_CHANGED_FILES + 5} changed files were looked at.` },
  ]);
  expect(await linesOf(id)).toHaveLength(20);
  expect(await found(elsewhere)).toEqual([]);
});
