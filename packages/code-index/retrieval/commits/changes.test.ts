import { randomUUID } from "node:crypto";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LineHistoryRequest } from "#contract.ts";
import { startChangesFixture, type ChangesFixture, type Indexed } from "#testing/changes-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { changeRepository } from "#tenants/repository-settings.ts";
import { blame, compareCommits, readCommit, readFileAtCommit, readLineHistory } from "./read-revisions.ts";

let fixture: ChangesFixture;
let source: GitRepository;
let indexed: Indexed;

/** Commits of every kind, each by what it does. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  fixture = await startChangesFixture();
  source = await createGitRepository();
  const lines = (count: number, ...changed: readonly number[]) =>
    Array.from({ length: count }, (_, line) => `line ${line}${changed.includes(line) ? " changed" : ""}\n`).join("");
  const commit = async (name: string, files: Readonly<Record<string, string | Buffer>>) => {
    ids[name] = await source.commit(files);
  };
  await commit("begin", {
    "a.ts": lines(40),
    "kept.ts": "kept\n",
    "windows.ts": "one\r\ntwo\r\n",
    "unended.ts": "no end",
    "secret/key.ts": "k1\n",
  });
  await commit("work", {
    "a.ts": lines(40, 3, 30),
    "windows.ts": "one\r\n2\r\nthree\r\n",
    "unended.ts": "no end\nyet",
    "image.bin": Buffer.from([0, 1, 2]),
  });
  source.git("mv", "a.ts", "moved file.ts");
  await commit("move", { "moved file.ts": lines(41, 3, 30, 40), "secret/key.ts": "k2\n" });
  source.git("checkout", "--quiet", "-b", "side");
  await commit("side", { "moved file.ts": lines(41, 3, 10, 30, 40), "only-side.ts": "side\n" });
  source.git("checkout", "--quiet", "main");
  await commit("main", { "moved file.ts": lines(41, 3, 30, 38, 40), "gone.ts": "soon\n", "image.bin": Buffer.from([0, 1, 3]) });
  source.git("merge", "--quiet", "--no-edit", "side");
  ids["merge"] = source.git("rev-parse", "HEAD");
  source.git("rm", "--quiet", "gone.ts");
  await commit("delete", { 'ümläut "quoted".ts': "name\n", "package-lock.json": "{}\n", "empty.ts": "" });
  indexed = await fixture.index(source.url);
}, 60_000);

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

/** As git prints it, byte for byte. */
function git(...given: readonly string[]): string {
  return spawnSync("git", ["-C", source.directory, "-c", "core.quotePath=false", ...given], { encoding: "utf8" }).stdout;
}

/** The hunks of git's diff of one file. */
function hunksOf(...given: readonly string[]): string {
  const printed = git(...given);
  const begin = printed.indexOf("\n@@ ");
  return begin === -1 ? "" : printed.slice(begin + 1);
}

function allCommits(): readonly string[] {
  return git("rev-list", "HEAD").trim().split("\n");
}

const lineHistory = (asked: Partial<LineHistoryRequest> & { readonly path: string }) =>
  readLineHistory(fixture.database, indexed.scope, { limit: 20, ...asked });
const read = (commit: string, path?: string) => readCommit(fixture.database, indexed.scope, { commit, path });

test("what each commit changed is what git show says, of a merge against its first parent", async () => {
  for (const id of allCommits()) {
    const { changes } = await read(id);
    const names = git("show", "-m", "--first-parent", "--format=", "--name-status", "-z", id)
      .split("\0")
      .filter((name) => /^[AMDR]\d*$/.test(name));
    expect(changes).toHaveLength(names.length);
    for (const { path, old_path: old, patch, left_out: leftOut } of changes.filter((change) => change.left_out === null)) {
      const paths = old === null ? [path] : [old, path];
      expect([path, patch, leftOut]).toEqual([path, hunksOf("show", "-m", "--first-parent", "--format=", id, "--", ...paths), null]);
    }
  }
  expect((await read(ids["move"] ?? "")).changes).toContainEqual(
    expect.objectContaining({ path: "moved file.ts", old_path: "a.ts", status: "renamed", added: 1, deleted: 0 }),
  );
  expect((await read(ids["main"] ?? "")).changes).toContainEqual(
    expect.objectContaining({ path: "image.bin", patch: "", left_out: expect.stringContaining("binary") }),
  );
  expect((await read(ids["delete"] ?? "")).changes).toContainEqual(
    expect.objectContaining({ path: "package-lock.json", patch: "", left_out: "a lock file" }),
  );
  expect((await read((ids["delete"] ?? "").slice(0, 9).toUpperCase(), "gone.ts")).changes).toMatchObject([
    { path: "gone.ts", status: "deleted", deleted: 1 },
  ]);
  await expect(read("0".repeat(40))).rejects.toMatchObject({ code: "commit_not_found", status: 404 });
});

test("every file at every commit is what git has there, byte for byte", async () => {
  let files = 0;
  for (const commit of allCommits()) {
    for (const path of git("ls-tree", "-r", "--name-only", "-z", commit)
      .split("\0")
      .filter((name) => name !== "" && !/\.bin$|lock/.test(name))) {
      const { content } = await readFileAtCommit(fixture.database, indexed.scope, { commit, path });
      expect([commit, path, content]).toEqual([commit, path, git("show", `${commit}:${path}`)]);
      files++;
    }
  }
  expect(files).toBeGreaterThan(30);
  const at = (commit: string, path: string) => readFileAtCommit(fixture.database, indexed.scope, { commit, path });
  for (const [commit = "", path] of [
    [ids["begin"], "gone.ts"],
    [ids["delete"], "gone.ts"],
    [ids["side"], "gone.ts"],
    [ids["merge"], "a.ts"],
    [ids["begin"], "never.ts"],
  ] as const) {
    await expect(at(commit, path)).rejects.toMatchObject({ code: "file_not_found", status: 404 });
  }
  await expect(at(ids["work"] ?? "", "image.bin")).rejects.toMatchObject({ code: "file_not_kept", status: 409 });
});

test("each line is blamed on the commit that git blames, through moves and merges", async () => {
  for (const [commit = "", path] of [
    [ids["delete"], "moved file.ts"],
    [ids["delete"], "windows.ts"],
    [ids["merge"], "only-side.ts"],
    [ids["work"], "a.ts"],
  ] as const) {
    const { ranges, total_lines: total } = await blame(fixture.database, indexed.scope, { path, commit });
    const found = ranges.flatMap((range) => Array.from({ length: range.end_line - range.start_line + 1 }, () => range.commit));
    const blamed = git("blame", "--line-porcelain", commit, "--", path)
      .split("\n")
      .filter((line) => /^[0-9a-f]{40} /.test(line));
    expect(found).toEqual(blamed.map((line) => line.slice(0, 40)));
    expect(total).toBe(found.length);
  }
  const some = await blame(fixture.database, indexed.scope, { path: "moved file.ts", start: 11, end: 12 });
  expect(some.ranges).toMatchObject([
    { start_line: 11, end_line: 11, commit: ids["side"] },
    { start_line: 12, end_line: 12, commit: ids["begin"], path: "a.ts" },
  ]);
});

test("lines are followed back to the commits that git log -L names, through moves and merges", async () => {
  for (const [path, start, end, head] of [
    ["moved file.ts", 1, 41, "delete"],
    ["moved file.ts", 10, 12, "delete"],
    ["moved file.ts", 38, 41, "delete"],
    ["windows.ts", 2, 3, "delete"],
    ["unended.ts", 1, 2, "merge"],
    ["only-side.ts", 1, 1, "merge"],
  ] as const) {
    const commit = ids[head] ?? "";
    const { changes, next_cursor: next } = await lineHistory({ path, start, end, commit });
    const followed = git("log", "-L", `${start},${end}:${path}`, "--format=%H", "-s", commit).trim().split("\n");
    // Of commits side by side either may come first.
    expect([path, start, changes.map((change) => change.commit.commit).toSorted()]).toEqual([path, start, followed.toSorted()]);
    expect(next).toBeNull();
  }
});

test("a change of lines is told by the hunks about them, a page at a time", async () => {
  const first = await lineHistory({ path: "moved file.ts", start: 31, end: 31, limit: 1 });
  expect(first.changes).toMatchObject([
    { commit: { commit: ids["work"] }, path: "a.ts", start_line: 31, patch: expect.stringContaining("-line 30\n+line 30 changed\n") },
  ]);
  expect(first.changes[0]?.patch).not.toContain("line 3 changed");
  const second = await lineHistory({ path: "moved file.ts", start: 31, end: 31, limit: 1, cursor: first.next_cursor ?? "" });
  expect(second).toMatchObject({ changes: [{ commit: { commit: ids["begin"] } }], next_cursor: null });
  expect(second.changes[0]?.patch).toContain("+line 30\n");
  await expect(lineHistory({ path: "moved file.ts", start: 30, end: 31, cursor: first.next_cursor ?? "" })).rejects.toMatchObject({
    code: "invalid_cursor",
  });
  const windows = await lineHistory({ path: "windows.ts", start: 2, end: 2, limit: 1 });
  expect(windows.changes[0]?.patch).toBe("@@ -2,1 +2,1 @@\n-two\r\n+2\r\n");
});

test("what is asked in vain says what to do", async () => {
  await expect(lineHistory({ path: "moved file.ts", start: 3, end: 1 })).rejects.toThrow("The range ends (1) before it starts (3).");
  await expect(lineHistory({ path: "moved file.ts", start: 999 })).rejects.toThrow("line 999 is past its end");
  await expect(lineHistory({ path: "nowhere.ts" })).rejects.toThrow("There was no file nowhere.ts at this commit");
  await expect(lineHistory({ path: "Moved File.ts" })).rejects.toThrow("did you mean moved file.ts?");
  expect(await read(ids["move"] ?? "", "nowhere.ts")).toMatchObject({
    changes: [],
    notes: [expect.stringContaining("did not change nowhere.ts")],
  });
});

test("two commits are compared in either direction, across branches too", async () => {
  for (const [from, to] of [
    ["begin", "delete"],
    ["delete", "begin"],
    ["side", "main"],
    ["move", "merge"],
    ["main", "main"],
  ] as const) {
    const [base = "", head = ""] = [ids[from], ids[to]];
    const { changes } = await compareCommits(fixture.database, indexed.scope, { base, head });
    const names = git("diff", "--name-only", "-z", base, head).split("\0").filter(Boolean);
    expect(changes.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
    for (const { path, old_path: old, patch } of changes.filter((change) => change.left_out === null)) {
      const ends = hunksOf("diff", base, head, "--", ...(old === null ? [path] : [old, path]));
      // What git names beside a hunk is the function it is in.
      expect(patch.replaceAll(/^(@@ .* @@).*$/gmu, "$1")).toBe(ends.replaceAll(/^(@@ .* @@).*$/gmu, "$1"));
    }
  }
  expect(
    (await compareCommits(fixture.database, indexed.scope, { base: ids["begin"] ?? "", head: ids["delete"] ?? "", path: "secret" }))
      .changes,
  ).toMatchObject([{ path: "secret/key.ts" }]);
});

test("after a force push the commits that are gone are gone, and what is older than is kept is fetched", async () => {
  const branch = await createGitRepository();
  const first = await branch.commit({ "a.ts": "1\n", "b.ts": "b\n" });
  const lost = await branch.commit({ "a.ts": "2\n" });
  const { scope, repoId } = await fixture.index(branch.url);
  expect((await readCommit(fixture.database, scope, { commit: lost })).changes).toHaveLength(1);
  branch.git("reset", "--quiet", "--hard", first);
  const next = await branch.commit({ "a.ts": "3\n" });
  await fixture.index(branch.url, { repoId });
  await expect(readCommit(fixture.database, scope, { commit: lost })).rejects.toMatchObject({ code: "commit_not_found" });
  expect((await readFileAtCommit(fixture.database, scope, { commit: first, path: "a.ts" })).content).toBe("1\n");
  expect((await blame(fixture.database, scope, { path: "a.ts" })).ranges).toMatchObject([{ commit: next }]);
  // Of what is searched only the newest is kept; what is older is fetched when it is asked for.
  await branch.commit({ "a.ts": "3\n4\n" });
  await fixture.fixture.database.query.updateTable("codeindex.histories").set({ commit: null }).execute();
  await fixture.index(branch.url, { repoId, depth: 1 });
  expect((await blame(fixture.database, scope, { path: "a.ts" })).ranges.map(({ commit }) => commit)).toEqual([
    next,
    branch.git("rev-parse", "HEAD"),
  ]);
  await branch.remove();
});

test("who may not see the repository sees no change of it", async () => {
  const commit = ids["begin"] ?? "";
  const hidden = { ...indexed.scope, repositories: [randomUUID()] };
  const other = { ...indexed.scope, tenant: await fixture.fixture.tenant("two") };
  for (const scope of [hidden, other]) {
    const refused = { code: "repository_not_found" };
    await expect(readCommit(fixture.database, scope, { commit })).rejects.toMatchObject(refused);
    await expect(readFileAtCommit(fixture.database, scope, { commit, path: "a.ts" })).rejects.toMatchObject(refused);
    await expect(blame(fixture.database, scope, { commit, path: "a.ts" })).rejects.toMatchObject(refused);
    await expect(compareCommits(fixture.database, scope, { base: commit, head: commit })).rejects.toMatchObject(refused);
    await expect(readLineHistory(fixture.database, scope, { commit, path: "a.ts", limit: 20 })).rejects.toMatchObject(refused);
  }
});

test("what the repository's rules leave out is told of at no commit, from when they are set", async () => {
  const { repoId } = indexed;
  const { tenant } = indexed.scope;
  await changeRepository(
    { database: fixture.database, allowFileUrls: true, now: new Date() },
    { tenantId: tenant.tenantId, repoId, given: { exclude: ["secret/"] }, seal: (text) => text.secret },
  );
  const [change] = (await read(ids["move"] ?? "", "secret/key.ts")).changes;
  expect(change).toMatchObject({ patch: "", left_out: "excluded by secret/" });
  await expect(
    readFileAtCommit(fixture.database, indexed.scope, { commit: ids["begin"] ?? "", path: "secret/key.ts" }),
  ).rejects.toMatchObject({ code: "file_not_kept" });
});
