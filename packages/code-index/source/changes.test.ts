import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { listTree } from "./blobs.ts";
import { changedPaths, type ChangedPath } from "./changes.ts";
import { runGit } from "./git.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";

let repository: GitRepository;
let dataDir: string;

beforeEach(async () => {
  repository = await createGitRepository();
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
});

afterEach(async () => {
  await repository.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const signal = new AbortController().signal;

function fetchIt(changes: Partial<Parameters<typeof fetchMirror>[0]> = {}): Promise<Mirror> {
  return fetchMirror({ dataDir, repoId: "r1", cloneUrl: repository.url, allowFileUrls: true, signal, ...changes });
}

async function changesSince(from: string, mirror: Mirror): Promise<Record<string, ChangedPath["kind"] | number> | undefined> {
  const changes = await changedPaths(mirror, { from, to: mirror.commit, signal });
  return changes && Object.fromEntries(changes.map((change) => [change.path, change.kind === "file" ? change.bytes : change.kind]));
}

async function collectGarbage({ directory }: Mirror): Promise<void> {
  await runGit({ arguments: ["gc", "--quiet", "--prune=now"], directory, signal });
}

test("what changed between two commits that were fetched without history is told by path", async () => {
  const from = await repository.commit({ "a.txt": "one", "b/c.txt": "same", "moved.txt": "moved", gone: "x", "dir/file": "y" });
  await fetchIt();
  repository.git("rm", "--quiet", "gone");
  repository.git("mv", "moved.txt", "b/moved.txt");
  repository.git("rm", "--quiet", "-r", "dir");
  await symlink("/etc/passwd", join(repository.directory, "link"));
  await repository.commit({ "a.txt": "longer", dir: "a file now", "new\tname\n": "", "ünï.txt": "ü" });
  await writeFile(Buffer.concat([Buffer.from(`${repository.directory}/caf`), Buffer.from([0xe9])]), "latin");
  await repository.commit({});
  repository.git("update-index", "--add", "--cacheinfo", `160000,${from},module`);
  repository.git("commit", "--quiet", "--message", "Submodule");
  const mirror = await fetchIt({ keep: [from] });
  const changes = await changesSince(from, mirror);
  expect(changes).toEqual({
    "a.txt": 6,
    gone: "removed",
    "moved.txt": "removed",
    "b/moved.txt": 5,
    "dir/file": "removed",
    dir: 10,
    link: "symlink",
    module: "submodule",
    "new\tname\n": 0,
    "ünï.txt": 2,
    "caf\\xe9": 5,
  });
  const tree = await listTree(mirror, { signal });
  const entries = await changedPaths(mirror, { from, to: mirror.commit, signal });
  expect(entries?.filter(({ kind }) => kind !== "removed").toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
    tree.filter(({ path }) => path in (changes ?? {})).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );
});

test("a commit that is kept is compared with after a force push and tidying up, and no longer once it is let go", async () => {
  await repository.commit({ "a.txt": "base" });
  const from = await repository.commit({ "a.txt": "one" });
  await fetchIt();
  repository.git("reset", "--quiet", "--hard", "HEAD^");
  await repository.commit({ "b.txt": "other" });
  await fetchIt({ keep: [from] });
  await repository.commit({ "c.txt": "more" });
  const mirror = await fetchIt({ keep: [from] });
  await collectGarbage(mirror);
  expect(await changesSince(from, mirror)).toEqual({ "a.txt": 4, "b.txt": 5, "c.txt": 4 });
  const later = await fetchIt();
  await collectGarbage(later);
  expect(await changesSince(from, later)).toBeUndefined();
  expect(await changesSince(later.commit, later)).toEqual({});
});

test("what a branch keeps is not let go by another branch", async () => {
  const from = await repository.commit({ "a.txt": "one" });
  await fetchIt();
  repository.git("checkout", "--quiet", "-b", "side");
  repository.git("commit", "--quiet", "--amend", "-m", "other");
  repository.git("branch", "-f", "main");
  await repository.commit({ "b.txt": "two" });
  const main = await fetchIt({ ref: "main", keep: [from] });
  await fetchIt({ ref: "side", keep: [] });
  await collectGarbage(main);
  expect(await changesSince(from, main)).toEqual({});
});

test.for(["0".repeat(40), "HEAD", "--output=/tmp/x", ""])("from %j, which the mirror doesn't hold, nothing is told", async (from) => {
  await repository.commit({ "a.txt": "one" });
  const mirror = await fetchIt({ keep: [from] });
  expect(await changesSince(from, mirror)).toBeUndefined();
});

test("a commit whose tree is gone is not compared with", async () => {
  const from = await repository.commit({ "a.txt": "one" });
  await repository.commit({ "a.txt": "two" });
  const mirror = await fetchIt();
  const content = repository.git("cat-file", "commit", from);
  const copied = await runGit(
    { arguments: ["hash-object", "-t", "commit", "-w", "--stdin"], directory: mirror.directory, signal },
    `${content}\n`,
  );
  expect(copied.toString().trim()).toBe(from);
  expect(await changesSince(from, mirror)).toBeUndefined();
});
