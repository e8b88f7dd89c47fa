import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startHistoryFixture, type HistoryFixture } from "#testing/history-fixture.ts";

let history: HistoryFixture;

beforeAll(async () => {
  history = await startHistoryFixture();
});

afterAll(() => history.stop());

beforeEach(() => history.begin());

test("of a merge the paths are those that it settled; both of its sides are listed, children before parents", async () => {
  await history.commit("base", { "a.ts": "1\n", "b.ts": "1\n" });
  history.source().git("checkout", "--quiet", "-b", "side");
  await history.commit("on the side", { "a.ts": "side\n", "c.ts": "1\n" });
  history.source().git("checkout", "--quiet", "main");
  await history.commit("on main", { "a.ts": "main\n" });
  history.source().git("merge", "--quiet", "--no-commit", "-s", "ours", "side");
  await history.commit("merge", { "a.ts": "both\n" });
  await history.index();
  const { commits: found } = await history.commits();
  expect(found[0]).toMatchObject({ subject: "merge", paths: ["a.ts"] });
  expect(found.map(({ subject }) => subject).toSorted()).toEqual(["base", "merge", "on main", "on the side"]);
  const at = new Map(found.map(({ commit: id }, position) => [id, position]));
  for (const { commit: id, parents } of found) {
    expect(parents.every((parent) => (at.get(parent) ?? -1) > (at.get(id) ?? 0))).toBe(true);
  }
  expect((await history.subjects({ path: "c.ts" })).includes("on the side")).toBe(true);
});

test("a file is followed through its names; a folder and a part of a path are understood as such", async () => {
  await history.commit("begin", { "src/old.ts": "content that stays\n", "docs/x.md": "1\n" });
  await history.commit("work on it", { "src/old.ts": "content that stays\nmore\n" });
  history.source().git("mv", "src/old.ts", "src/new.ts");
  await history.commit("move", {});
  await history.commit("work on the new", { "src/new.ts": "2\n" });
  await history.commit("an old one comes back", { "src/old.ts": "another\n" });
  await history.index();
  expect(await history.commits({ path: "src/new.ts" })).toMatchObject({ path: { is: "file", names: ["src/new.ts", "src/old.ts"] } });
  expect(await history.subjects({ path: "src/new.ts" })).toEqual(["work on the new", "move", "work on it", "begin"]);
  expect(await history.subjects({ path: "src/old.ts" })).toEqual(["an old one comes back", "move", "work on it", "begin"]);
  expect(await history.subjects({ path: "docs/" })).toEqual(["begin"]);
  expect((await history.commits({ path: "/src" })).path).toEqual({ is: "folder", names: ["src"] });
  expect(await history.subjects({ path: "*.MD" })).toEqual(["begin"]);
  expect((await history.commits({ path: "src/new.ts", limit: 1 })).commits[0]).toMatchObject({ subject: "work on the new" });
  expect(await history.commits({ path: "nowhere%" })).toMatchObject({ commits: [], path: { is: "part" }, notes: ["No commit matches."] });
  expect((await history.commits({ query: "579e6f76" })).notes).toEqual([
    "No commit matches. Messages are searched; a commit is read by its hash.",
  ]);
  expect((await history.commits({ since: "2026-01-02", until: "2026-01-01" })).notes.join()).toContain("The time ends before it begins.");
});

test("words find messages by what is rare in them, other forms and letters as they stand; author and time narrow down", async () => {
  const dated = (date: string) => ["--date", date, "--author=Ada <ada@example.org>"];
  await history.commit("fix: retried uploads leak memory\n\nSee SHOP-42.", { "a.ts": "1\n" }, ...dated("2024-01-01T00:00:00Z"));
  await history.commit("fix: typo", { "a.ts": "2\n" });
  await history.commit("fix: parseConfig of the cart", { "b.ts": "3\n" });
  await history.index();
  expect(await history.subjects({ query: "memory leaks of uploads" })).toEqual(["fix: retried uploads leak memory"]);
  expect(await history.subjects({ query: "config parse" })).toEqual(["fix: parseConfig of the cart"]);
  expect(await history.subjects({ query: "shop-42" })).toEqual(["fix: retried uploads leak memory"]);
  expect(await history.subjects({ query: "fix" })).toEqual([
    "fix: parseConfig of the cart",
    "fix: typo",
    "fix: retried uploads leak memory",
  ]);
  expect(await history.subjects({ query: "fix", path: "a.ts" })).toEqual(["fix: typo", "fix: retried uploads leak memory"]);
  expect(await history.subjects({ author: "ADA@" })).toEqual(["fix: retried uploads leak memory"]);
  expect(await history.subjects({ author: "nobody%" })).toEqual([]);
  expect(await history.subjects({ until: "2001-01-01" })).toEqual([]);
  expect(await history.subjects({ since: "2001-01-01T00:00:00+02:00" })).toHaveLength(3);
  const { next_cursor: next } = await history.commits({ query: "fix", limit: 2 });
  expect(await history.subjects({ query: "fix", limit: 2, cursor: next ?? "" })).toEqual(["fix: retried uploads leak memory"]);
  await expect(history.commits({ query: "typo", cursor: next ?? "" })).rejects.toMatchObject({ code: "invalid_cursor" });
  for (const query of ["%", "_", "'", "\\", "🦄", "שלום", "(((", "a".repeat(2_000), "\ud800", "; drop table commits; --"]) {
    expect(await history.subjects({ query })).toEqual([]);
  }
  await expect(history.commits({ query: "a\0b" })).rejects.toMatchObject({ code: "invalid_query", status: 400 });
});

test("messages, names and paths in any bytes are kept, and those of any length", async () => {
  await history.source().commit({ "b\u0001ell\n.ts": "1\n", [`deep/${"x".repeat(200)}.ts`]: "1\n" });
  history.source().git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--amend", "--quiet", "--message", "caf\u00e9 \u0001M\u0001");
  await history.commit(`long ${"word ".repeat(20_000)}`, { "a.ts": "1\n" });
  history.source().git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", "", "--date=@4000000000000 +0000");
  await history.index();
  const { commits: found } = await history.commits();
  expect(found.map(({ subject }) => subject.length)).toEqual([0, 1_001, expect.any(Number)]);
  expect(found[2]).toMatchObject({ paths: ["b\u0001ell\n.ts", `deep/${"x".repeat(200)}.ts`] });
});

test("a commit of very many files is kept in part, and that is said where it matters", async () => {
  await history.commit(
    "many",
    Object.fromEntries(Array.from({ length: 2_100 }, (_, number) => [`f/${String(number).padStart(5, "0")}.txt`, "x\n"])),
  );
  await history.commit("next", { "a.ts": "1\n" });
  await history.index();
  const { commits: found } = await history.commits();
  expect(found[1]).toMatchObject({ paths_total: 2_100 });
  expect(found[1]?.paths).toHaveLength(100);
  expect(await history.commits({ path: "f/00003.txt" })).toMatchObject({
    commits: [{ subject: "many", paths: expect.arrayContaining(["f/00003.txt"]) }],
  });
  expect((await history.commits({ path: "f/02099.txt" })).notes.join()).toContain("1 commits change so many files");
});

test("who may not see the repository sees no commit of it", async () => {
  await history.commit("secret plan", { "a.ts": "1\n" });
  await history.index();
  await expect(history.commits({}, { repositories: [randomUUID()] })).rejects.toMatchObject({ code: "repository_not_found" });
  const other = await history.fixture.tenant("two");
  await expect(history.commits({}, { tenant: other })).rejects.toMatchObject({ code: "repository_not_found" });
});
