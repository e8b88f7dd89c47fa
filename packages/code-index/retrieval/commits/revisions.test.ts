import { spawnSync } from "node:child_process";
import { rename } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChangesFixture, type ChangesFixture, type Indexed } from "#testing/changes-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { blame, compareCommits, readCommit, readFileAtCommit, readLineHistory } from "./read-revisions.ts";
import { searchCommits } from "./search-commits.ts";

let fixture: ChangesFixture;
let source: GitRepository;
let indexed: Indexed;

/** On main, one a day from 1 January 2026 on. */
const commits: string[] = [];

beforeAll(async () => {
  fixture = await startChangesFixture();
  source = await createGitRepository();
  const commit = async (day: number, files: Readonly<Record<string, string>>) => {
    await source.commit(files);
    const date = Date.UTC(2026, 0, day, 12) / 1_000;
    const tree = source.git("rev-parse", "HEAD^{tree}");
    const parent = commits.length === 0 ? "" : `parent ${commits.at(-1)}\n`;
    const at = `Ada <ada@example.org> ${date} +0000`;
    const input = `tree ${tree}\n${parent}author ${at}\ncommitter ${at}\n\nday ${day}\n`;
    const made = spawnSync("git", ["-C", source.directory, "hash-object", "-t", "commit", "-w", "--stdin"], { input, encoding: "utf8" });
    source.git("reset", "--quiet", "--soft", made.stdout.trim());
    commits.push(made.stdout.trim());
  };
  for (let day = 1; day <= 8; day++) {
    await commit(day, { "a.ts": Array.from({ length: day }, (_, line) => `line ${line + 1}\n`).join(""), "s/secret.ts": `key${day}\n` });
  }
  source.git("tag", "v1.0.0", commits[1] ?? "");
  source.git("tag", "--annotate", "--message", "two", "v1.1.0", commits[3] ?? "");
  source.git("checkout", "--quiet", "-b", "maintenance/1.x", "v1.0.0");
  await source.commit({ "fix.ts": "defaultProtocols = 1\n" });
  source.git("tag", "v1.0.1");
  source.git("checkout", "--quiet", "main");
  // Three commits are kept, so all older ones have to be fetched.
  indexed = await fixture.index(source.url, { depth: 3 });
}, 60_000);

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

const text = async (commit: string, path = "a.ts") => (await readFileAtCommit(fixture.database, indexed.scope, { commit, path })).content;
const hash = async (commit: string) => (await readCommit(fixture.database, indexed.scope, { commit })).commit.commit;
const rev = (name: string) => source.git("rev-parse", `${name}^{commit}`);

test("a revision is named as a tag, a branch, HEAD, steps back from one, a moment, or by its hash", async () => {
  for (const name of [
    "HEAD",
    "@",
    "main",
    "HEAD~3",
    "HEAD^",
    "HEAD^^",
    "main~2^",
    "v1.0.0",
    "v1.1.0",
    "v1.1.0~1",
    "tags/v1.0.1",
    "maintenance/1.x",
    "origin/maintenance/1.x~1",
  ]) {
    expect([name, await hash(name)]).toEqual([name, rev(name.replace("origin/", ""))]);
  }
  for (const [name, day] of [
    ["main@{2026-01-03}", 3],
    ["@{2026-01-03T11:00:00Z}", 2],
    ["HEAD@{2026-01-05 12:00:00Z}^", 4],
    ["main@{2030-01-01}", 8],
  ] as const) {
    expect([name, await hash(name)]).toEqual([name, commits[day - 1]]);
  }
  for (const id of [commits[7], commits[0], rev("v1.0.1")]) {
    expect(await hash(id ?? "")).toBe(id);
    expect(await hash((id ?? "").slice(0, 12).toUpperCase())).toBe(id);
  }
});

test("every question takes any revision: the file, its blame, the history of lines, and two compared", async () => {
  expect(await text("v1.1.0")).toBe("line 1\nline 2\nline 3\nline 4\n");
  expect(await text("maintenance/1.x", "fix.ts")).toBe("defaultProtocols = 1\n");
  const { ranges } = await blame(fixture.database, indexed.scope, { path: "a.ts" });
  expect(ranges.map(({ commit }) => commit)).toEqual(commits);
  expect((await blame(fixture.database, indexed.scope, { path: "a.ts", commit: "v1.0.0" })).ranges).toHaveLength(2);
  const { changes } = await readLineHistory(fixture.database, indexed.scope, { path: "a.ts", start: 1, end: 1, limit: 5 });
  expect(changes.map(({ commit }) => commit.commit)).toEqual([commits[0]]);
  const compared = await compareCommits(fixture.database, indexed.scope, { base: "v1.0.1", head: "v1.1.0" });
  expect(compared).toMatchObject({ base: rev("v1.0.1"), head: rev("v1.1.0") });
  expect(compared.changes.map(({ path, status }) => [path, status])).toEqual([
    ["a.ts", "modified"],
    ["fix.ts", "deleted"],
    ["s/secret.ts", "modified"],
  ]);
});

test("a name that is not there is answered with the nearest, and what is no revision is refused", async () => {
  await expect(hash("1.0.2")).rejects.toMatchObject({
    code: "commit_not_found",
    message: expect.stringMatching(/did you mean v1\.0\.\d, v1\.0\.\d,/u),
  });
  await expect(hash("maintenance/1")).rejects.toThrow("did you mean maintenance/1.x");
  await expect(hash("HEAD~100")).rejects.toMatchObject({ code: "commit_not_found" });
  await expect(hash("v1.0.0~5")).rejects.toThrow("v1.0.0 does not go back so far");
  await expect(hash("main@{2020-01-01}")).rejects.toThrow("main does not go back so far");
  await expect(hash("f".repeat(40))).rejects.toMatchObject({ code: "commit_not_found" });
  for (const odd of [
    "--output=/tmp/x",
    "HEAD:a.ts",
    "v1.0.0..v1.1.0",
    "HEAD^{/x}",
    ":/day",
    "a b",
    "main@{yesterday}",
    "HEAD^{tree}",
    "main@{1}",
  ]) {
    await expect(hash(odd)).rejects.toMatchObject({ code: "invalid_revision", status: 400 });
  }
});

test("commits are found by a text that they add or remove, in all of the branch and in no file that is left out", async () => {
  const search = async (changed: string, asked: object = {}) =>
    searchCommits(fixture.database, indexed.scope, { changed, limit: 20, ...asked });
  const hashes = async (changed: string, asked?: object) => (await search(changed, asked)).commits.map(({ commit }) => commit);
  expect(await hashes("line 3")).toEqual([commits[2]]);
  expect(await hashes("key4")).toEqual([commits[4], commits[3]]);
  expect(await hashes("key4", { until: "2026-01-04" })).toEqual([commits[3]]);
  expect(await hashes("key4", { path: "s/" })).toHaveLength(2);
  expect(await hashes("key4", { path: "a.ts" })).toEqual([]);
  expect(await hashes("line 3", { author: "ADA@" })).toHaveLength(1);
  expect(await hashes("line 3", { author: "grace" })).toEqual([]);
  const first = await search("key4", { limit: 1 });
  expect(first.commits).toMatchObject([{ commit: commits[4], paths: ["s/secret.ts"] }]);
  expect(await hashes("key4", { limit: 1, cursor: first.next_cursor })).toEqual([commits[3]]);
  expect((await search("--not-an-option")).notes).toEqual(["No commit adds or removes this text, letter for letter."]);
  await expect(search("x", { query: "day" })).rejects.toMatchObject({ code: "invalid_query" });
  await fixture.database.query
    .updateTable("codeindex.repositories")
    .set({ exclude: ["s/"] })
    .where("id", "=", indexed.repoId)
    .execute();
  expect(await hashes("key4")).toEqual([]);
  await expect(text("v1.0.0", "s/secret.ts")).rejects.toMatchObject({ code: "file_not_kept" });
});

test("where the host is down, what is here is answered, with a note on what is not", async () => {
  const own = await createGitRepository();
  await own.commit({ "a.ts": "1\n" });
  await own.commit({ "a.ts": "1\n2\n" });
  const last = await own.commit({ "a.ts": "1\n2\n3\n" });
  const { scope } = await fixture.index(own.url, { depth: 1 });
  await rename(own.directory, `${own.directory}.away`);
  const { ranges, notes } = await blame(fixture.database, scope, { path: "a.ts" });
  expect(ranges.map(({ commit }) => commit)).toEqual([null, last]);
  expect(notes.join()).toContain("older than the commits that are kept");
  await expect(readCommit(fixture.database, scope, { commit: "v1" })).rejects.toMatchObject({ code: "commits_unavailable", status: 503 });
  await rename(`${own.directory}.away`, own.directory);
  await own.remove();
});
