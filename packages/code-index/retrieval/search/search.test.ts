import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { readCoverage, readFile, readTree } from "#retrieval/files/read-file.ts";
import { createSearchState, search } from "./search.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;
let other: Tenant;
let shop: string;

const PAYMENT = "export function charge(card) {}\n\nexport function refund(card) {}\n";

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  other = await ensureTenant(database, { tenantId: "two", name: "two" });
  const files = { "pay.ts": PAYMENT, "main.ts": "charge(basket)\n", "logo.png": { skip: "binary" }, "empty.txt": "" };
  shop = (await seedBuild(database, { tenant, repo: "acme/shop", commit: "c1", files })).repoId;
  await seedBuild(database, {
    tenant,
    repo: "acme/shop",
    ref: "next",
    commit: "c2",
    files: { "pay.ts": PAYMENT, "next.ts": "charge(subscription)\n" },
  });
  await seedBuild(database, { tenant, repo: "acme/fork", commit: "c3", files: { "pay.ts": PAYMENT, "fork.ts": "charge(fork)\n" } });
  await seedBuild(database, { tenant: other, repo: "acme/shop", files: { "foreign.ts": "charge(foreign)\n" } });
});

afterAll(() => database.drop());

async function find(query: string, filters: { repo?: string; ref?: string; path?: string; lang?: string } = {}, repositories?: string[]) {
  const dependencies = { ...createSearchState(), database, log: silentLog, embedder: undefined };
  const { results, legs } = await search(dependencies, { tenant, repositories }, { query, limit: 50, ...filters });
  return { places: results.map(({ repo, ref, path, commit }) => `${repo}@${ref} ${path} ${commit}`).toSorted(), legs };
}

test("a content that several repositories hold is one result, of the first by name", async () => {
  expect((await find("charge")).places).toEqual(["acme/fork@main fork.ts c3", "acme/fork@main pay.ts c3", "acme/shop@main main.ts c1"]);
  expect((await find("refund", { repo: "acme/shop" })).places).toEqual(["acme/shop@main pay.ts c1"]);
});

test("the ranked places are counted by repository, language, folder and kind, on every page, and a kind narrows them", async () => {
  const files = { "lib/pay.ts": "refund();\n", "lib/deep/pay.test.ts": "refund();\nrefund();\n", "docs/pay.md": "refund\n" };
  await seedBuild(database, { tenant, repo: "acme/facets", files });
  const dependencies = { ...createSearchState(), database, log: silentLog, embedder: undefined };
  const ask = (kind?: "test") => search(dependencies, { tenant }, { query: "refund", repo: "acme/facets", limit: 1, kind });
  const every = await ask();
  expect(every.results).toHaveLength(1);
  expect(every.ranked).toEqual({ places: 3, capped: false });
  expect(every.facets).toEqual({
    repo: [{ value: "acme/facets", count: 3 }],
    lang: [{ value: "text", count: 3 }],
    path: [
      { value: "lib/", count: 2 },
      { value: "docs/", count: 1 },
    ],
    kind: [
      { value: "document", count: 1 },
      { value: "source", count: 1 },
      { value: "test", count: 1 },
    ],
  });
  const tests = await ask("test");
  expect(tests.results.map(({ path, content }) => [path, content])).toEqual([["lib/deep/pay.test.ts", "refund();\nrefund();\n"]]);
  expect(tests.ranked.places).toBe(1);
  // All of them are in one folder: there is nothing to choose.
  expect(tests.facets.path).toEqual([]);
  expect(tests.facets.kind).toEqual(every.facets.kind);
});

test("with one result a file its other places are named, and pages are of files", async () => {
  const files = { "long.ts": "dispatch(one);\n\nother();\n\ndispatch(two);\n\ndispatch(three);\n", "short.ts": "dispatch(order);\n" };
  await seedBuild(database, { tenant, repo: "acme/folded", files });
  const dependencies = { ...createSearchState(), database, log: silentLog, embedder: undefined };
  const asked = { query: "dispatch", repo: "acme/folded", one_per_file: true, limit: 1 };
  const first = await search(dependencies, { tenant }, asked);
  const second = await search(dependencies, { tenant }, { ...asked, cursor: first.next_cursor ?? undefined });
  const results = [...first.results, ...second.results];
  expect(results.map(({ path }) => path).toSorted()).toEqual(["long.ts", "short.ts"]);
  expect(first.ranked.places).toBe(2);
  expect(second.next_cursor).toBeNull();
  const long = results.filter(({ path }) => path === "long.ts").flatMap(({ also, ...best }) => [best, ...(also ?? [])]);
  const linesOf = long.flatMap(({ start_line: start, end_line: end }) =>
    Array.from({ length: end - start + 1 }, (_, line) => start + line),
  );
  expect(linesOf.toSorted((line, next) => line - next)).toEqual([1, 2, 5, 6, 7]);
  expect(results[0]?.content).toContain("dispatch");
  expect(results.find(({ path }) => path === "short.ts")?.also).toEqual([]);
  const unfolded = await search(dependencies, { tenant }, { ...asked, one_per_file: undefined, limit: 50 });
  expect(unfolded.results).toHaveLength(4);
  expect(unfolded.results[0]).not.toHaveProperty("also");
});

test("a branch is searched when it is asked for, and never seen otherwise", async () => {
  expect((await find("charge", { ref: "next" })).places).toEqual(["acme/shop@next next.ts c2", "acme/shop@next pay.ts c2"]);
  expect((await find("subscription")).places).toEqual([]);
  await expect(find("charge", { ref: "gone" })).rejects.toMatchObject({ code: "ref_not_indexed" });
  await expect(find("charge", { ref: "next", repo: "acme/fork" })).rejects.toMatchObject({ code: "ref_not_indexed" });
});

test("whoever may see one repository finds, reads and is told of nothing else", async () => {
  expect((await find("charge", {}, [shop])).places).toEqual(["acme/shop@main main.ts c1", "acme/shop@main pay.ts c1"]);
  expect((await find("fork", {}, [shop])).places).toEqual([]);
  await expect(find("charge", { repo: "acme/fork" }, [shop])).rejects.toThrow("acme/fork is not indexed here; known: acme/shop.");
  expect((await find("charge", {}, [])).places).toEqual([]);
  const fork = { tenant, repo: "acme/fork", repositories: [shop] };
  for (const read of [
    () => readFile(database, fork, { path: "fork.ts" }),
    () => readTree(database, fork),
    () => readCoverage(database, fork, "fork.ts"),
  ]) {
    await expect(read()).rejects.toThrow("acme/fork is not indexed here; known: acme/shop.");
  }
});

test("a file is read from the branch asked for", async () => {
  const read = (path: string, ref?: string) => readFile(database, { tenant, repo: "acme/shop", ref }, { path });
  expect(await read("pay.ts")).toMatchObject({ content: PAYMENT, ref: "main", commit: "c1", total_lines: 3, end_line: 3 });
  expect(await read("next.ts", "next")).toMatchObject({ content: "charge(subscription)\n", ref: "next", commit: "c2" });
  expect(await read("empty.txt")).toMatchObject({ content: "", total_lines: 0 });
  await expect(read("next.ts")).rejects.toMatchObject({ code: "file_not_found" });
  await expect(read("main.ts", "next")).rejects.toMatchObject({ code: "file_not_found" });
  await expect(read("logo.png")).rejects.toMatchObject({ code: "file_not_indexed", message: "logo.png is not indexed: binary." });
  await expect(read("pay.ts", "gone")).rejects.toMatchObject({ code: "ref_not_indexed" });
});

test("the tree is that of the branch asked for, with the files that are not searchable", async () => {
  const tree = await readTree(database, { tenant, repo: "acme/shop" });
  expect(tree).toMatchObject({ ref: "main", commit: "c1" });
  expect(tree.files.map(({ path }) => path)).toEqual(["empty.txt", "logo.png", "main.ts", "pay.ts"]);
  expect(await readTree(database, { tenant, repo: "acme/shop", ref: "next" })).toMatchObject({ ref: "next", commit: "c2" });
});

test("coverage says whether a file is searchable, and if not why", async () => {
  const cover = (path: string) => readCoverage(database, { tenant, repo: "acme/shop" }, path);
  expect(await cover("pay.ts")).toMatchObject({ state: "indexed", reason: null, chunks: 2, embedded: 0, language: "text", commit: "c1" });
  expect(await cover("logo.png")).toMatchObject({ state: "skipped", reason: "binary", chunks: 0, language: null });
  expect(await cover("src/pay.ts")).toMatchObject({ state: "absent", similar: ["pay.ts"] });
  expect(await cover("a\0b")).toMatchObject({ state: "absent", similar: [] });
});

test("words of scripts without blanks are found in another order and amid others", async () => {
  await seedBuild(database, {
    tenant,
    repo: "acme/scripts",
    commit: "c0",
    files: {
      "merge.ts": "// 把两个购物车进行合并\nmerge();\n",
      "price.ts": "// 价格计算\nprice();\n",
      "read.ts": "// 設定ファイルを読み込む\nread();\n",
      "cart.ts": "// เพิ่มสินค้าลงในตะกร้าของลูกค้า\nadd();\n",
    },
  });
  const found = async (query: string) => (await find(query, { repo: "acme/scripts" })).places;
  expect(await found("购物车合并")).toEqual(["acme/scripts@main merge.ts c0"]);
  expect(await found("ファイル設定の読み込み")).toEqual(["acme/scripts@main read.ts c0"]);
  expect(await found("ตะกร้าสินค้า")).toEqual(["acme/scripts@main cart.ts c0"]);
  expect(await found("价格")).toEqual(["acme/scripts@main price.ts c0"]);
});

test("a query of nothing that could be used says so", async () => {
  const dependencies = { ...createSearchState(), database, log: silentLog, embedder: undefined };
  const { results, notes } = await search(dependencies, { tenant }, { query: "???!!", limit: 5 });
  expect(results).toEqual([]);
  expect(notes).toContain("The query has no letter and no digit: it was only looked for as it is. grep finds punctuation, too.");
});
