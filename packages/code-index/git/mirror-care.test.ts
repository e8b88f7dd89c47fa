import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { listTree, readBlobs } from "#git/blobs.ts";
import { runGit } from "#git/git.ts";
import { fetchMirror, type Mirror } from "#git/mirror.ts";
import { SourceError } from "#git/source-error.ts";
import { tidyMirrors } from "#git/tidy-mirrors.ts";

let repository: GitRepository;
let dataDir: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  repository = await createGitRepository();
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
});

afterEach(async () => {
  await repository.remove();
  await rm(dataDir, { recursive: true, force: true });
});

function fetchIt(changes: Partial<Parameters<typeof fetchMirror>[0]> = {}): Promise<Mirror> {
  return fetchMirror({ dataDir, repoId: "r1", cloneUrl: repository.url, allowFileUrls: true, signal, ...changes });
}

async function packsOf({ directory }: Mirror): Promise<readonly string[]> {
  return (await readdir(join(directory, "objects", "pack"))).filter((name) => name.endsWith(".pack"));
}

async function objectsOf({ directory }: Mirror): Promise<number> {
  const listed = await runGit({ arguments: ["cat-file", "--batch-check", "--batch-all-objects"], directory, signal });
  return listed.toString().split("\n").length - 1;
}

test("a mirror does not grow with every fetch: packs are put together, what is needed no more is dropped", async () => {
  await repository.commit({ "a.txt": "0" });
  let mirror = await fetchIt();
  for (let round = 1; round <= 22; round++) {
    await repository.commit({ "a.txt": `${round}` });
    mirror = await fetchIt();
  }
  expect((await packsOf(mirror)).length).toBe(23);
  await tidyMirrors({ dataDir, listRepositories: async () => new Map([["r1", ["main"]]]), log: silentLog, signal });
  expect(await packsOf(mirror)).toHaveLength(1);
  // The commit, its tree and its file.
  expect(await objectsOf(mirror)).toBe(3);
  expect(await listTree(mirror, { signal })).toHaveLength(1);
}, 120_000);

test("a reading that goes on while the mirror is put together or fetched anew never reads anything wrong", async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, file) => [`f${file}`, `content of ${file}`]));
  await repository.commit(files);
  const mirror = await fetchIt();
  const entries = await listTree(mirror, { signal });
  const contents = readBlobs(
    mirror,
    entries.map(({ blob }) => blob),
    { signal },
  );
  const first = await contents.next();
  expect(first.value?.toString()).toBe("content of 0");
  await repository.commit({ f0: "other" });
  await runGit({ arguments: ["gc", "--quiet", "--prune=now"], directory: mirror.directory, signal });
  await fetchIt({ fresh: true });
  const read: string[] = [];
  const outcome = await readAll(contents, read).catch((error: unknown) => error);
  // Either the process still holds the old mirror's files, or it says that they are gone.
  expect(outcome === "done" ? read.length : outcome).toSatisfy(
    (result) => result === 299 || (result instanceof SourceError && result.transient),
  );
  expect(read).toEqual(entries.slice(1, read.length + 1).map(({ path }) => files[path]));
});

async function readAll(contents: AsyncIterable<Buffer>, into: string[]): Promise<"done"> {
  for await (const content of contents) {
    into.push(content.toString());
  }
  return "done";
}

test("many fetches of one mirror at once are done one after another, and all see the newest commit", async () => {
  const main = await repository.commit({ "a.txt": "one" });
  repository.git("checkout", "--quiet", "-b", "side");
  const side = await repository.commit({ "b.txt": "two" });
  repository.git("checkout", "--quiet", "main");
  const fetched = await Promise.all(Array.from({ length: 8 }, (_, index) => fetchIt({ ref: index % 2 === 0 ? "main" : "side" })));
  expect(fetched.map(({ commit }) => commit)).toEqual(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? main : side)));
});

test("what a killed fetch left behind is removed by the next one, which keeps the mirror", async () => {
  await repository.commit({ "a.txt": "one", "b.txt": "same" });
  const { directory } = await fetchIt();
  await writeFile(join(directory, "shallow.lock"), "");
  await writeFile(join(directory, "packed-refs.lock"), "");
  await writeFile(join(directory, "objects", "pack", "tmp_pack_abc"), "half of a pack");
  await mkdir(join(directory, "refs", "sightline", "x"), { recursive: true });
  await writeFile(join(directory, "refs", "sightline", "x", "tip.lock"), "");
  const commit = await repository.commit({ "a.txt": "two" });
  const mirror = await fetchIt();
  expect(mirror.commit).toBe(commit);
  expect(await listTree(mirror, { signal })).toHaveLength(2);
  const left = await readdir(directory, { recursive: true });
  expect(left.filter((name) => /\.lock$|tmp_/.test(name))).toEqual([]);
});

test("a mirror whose objects are broken is fetched anew", async () => {
  await repository.commit({ "a.txt": "one" });
  const mirror = await fetchIt();
  for (const name of await readdir(join(mirror.directory, "objects", "pack"))) {
    await rm(join(mirror.directory, "objects", "pack", name));
  }
  const commit = await repository.commit({ "a.txt": "two" });
  const anew = await fetchIt();
  expect(anew.commit).toBe(commit);
  expect(await listTree(anew, { signal })).toHaveLength(1);
});

test("a host that is down costs no mirror", async () => {
  await repository.commit({ "a.txt": "one" });
  const mirror = await fetchIt();
  await expect(fetchIt({ cloneUrl: "https://127.0.0.1:1/a", allowPrivateHosts: ["127.0.0.1"] })).rejects.toMatchObject({ transient: true });
  expect(await listTree(mirror, { signal })).toHaveLength(1);
});

test("the mirror of a repository that is no more is removed, and branches that are not indexed are let go", async () => {
  await repository.commit({ "a.txt": "one" });
  repository.git("checkout", "--quiet", "-b", "side");
  await repository.commit({ "b.txt": "two" });
  const [mirror, gone] = [await fetchIt({ ref: "main" }), await fetchIt({ repoId: "r2" })];
  await fetchIt({ ref: "side" });
  await tidyMirrors({ dataDir, listRepositories: async () => new Map([["r1", ["main"]]]), log: silentLog, signal });
  expect(await readdir(join(dataDir, "mirrors"))).toEqual(["r1"]);
  await expect(listTree(gone, { signal })).rejects.toMatchObject({ name: "SourceError" });
  expect(await listTree(mirror, { signal })).toHaveLength(1);
  const refs = await runGit({ arguments: ["for-each-ref"], directory: mirror.directory, signal });
  expect(refs.toString().trim().split("\n")).toHaveLength(1);
});
