import { mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { listTree, readBlobs } from "./blobs.ts";
import { fetchHistory } from "./history.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";
import { readChanges } from "./read-changes.ts";
import { readCommits } from "./read-commits.ts";

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
  const cloneUrl = repository.url;
  return fetchMirror({ dataDir, repoId: "r1", cloneUrl, allowFileUrls: true, allowPrivateHosts: ["127.0.0.1"], signal, ...changes });
}

async function contents(mirror: Mirror): Promise<Record<string, string>> {
  const entries = await listTree(mirror, { signal });
  const blobs = readBlobs(
    mirror,
    entries.map(({ blob }) => blob),
    { signal },
  );
  const found: Record<string, string> = {};
  for (const { path } of entries) {
    const { value } = await blobs.next();
    found[path] = value?.toString("utf8") ?? "";
  }
  return found;
}

test("a mirror holds the newest commit of the default branch, and follows it", async () => {
  const first = await repository.commit({ "a.txt": "one" });
  expect(await fetchIt()).toMatchObject({ commit: first, defaultBranch: "main" });
  const second = await repository.commit({ "a.txt": "two", "b/c.txt": "" });
  const mirror = await fetchIt();
  expect(mirror.commit).toBe(second);
  expect(await contents(mirror)).toEqual({ "a.txt": "two", "b/c.txt": "" });
});

test("a rewritten history and a renamed default branch are followed", async () => {
  await repository.commit({ "a.txt": "one" });
  await fetchIt();
  repository.git("checkout", "--quiet", "--orphan", "trunk");
  const commit = await repository.commit({ "a.txt": "other" });
  expect(await fetchIt()).toMatchObject({ commit, defaultBranch: "trunk" });
});

test("contents of any bytes and size are read whole", async () => {
  const large = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
  await repository.commit({ large, "lines.txt": "a\n\nb\n", empty: "" });
  const mirror = await fetchIt();
  const entries = await listTree(mirror, { signal });
  const read: Buffer[] = [];
  for await (const content of readBlobs(
    mirror,
    entries.map(({ blob }) => blob),
    { signal },
  )) {
    read.push(content);
  }
  expect(entries.map(({ path, bytes }) => [path, bytes])).toEqual([
    ["empty", 0],
    ["large", 700_000],
    ["lines.txt", 5],
  ]);
  expect(read[1]?.equals(large)).toBe(true);
});

test("names that are not UTF-8, symbolic links and submodules are listed as what they are", async () => {
  await writeFile(Buffer.concat([Buffer.from(`${repository.directory}/caf`), Buffer.from([0xe9])]), "latin");
  await writeFile(join(repository.directory, "tab\tand\nline"), "x");
  await symlink("/etc/passwd", join(repository.directory, "link"));
  const head = await repository.commit({ "ünï.txt": "y" });
  repository.git("update-index", "--add", "--cacheinfo", `160000,${head},module`);
  await repository.commit({});
  const entries = await listTree(await fetchIt(), { signal });
  expect(Object.fromEntries(entries.map(({ path, kind }) => [path, kind]))).toMatchObject({
    "caf\\xe9": "file",
    "tab\tand\nline": "file",
    "ünï.txt": "file",
    link: "symlink",
  });
});

test("git's own reason is the error, and says whether trying again may help", async () => {
  await repository.commit({ a: "" });
  await expect(fetchIt({ cloneUrl: "file:///does/not/exist" })).rejects.toMatchObject({
    name: "SourceError",
    message: expect.stringContaining("does not appear to be a git repository"),
    transient: false,
  });
  await expect(fetchIt({ cloneUrl: "https://127.0.0.1:1/a/b" })).rejects.toMatchObject({
    message: expect.stringMatching(/Failed to connect|Connection refused/),
    transient: true,
  });
});

test("a repository without a commit says so", async () => {
  await expect(fetchIt()).rejects.toMatchObject({ message: expect.stringContaining("empty"), transient: false });
});

test("a file:// address is not fetched where it is not allowed, whatever the row says", async () => {
  await repository.commit({ a: "" });
  await expect(fetchIt({ allowFileUrls: false })).rejects.toMatchObject({ code: "invalid_clone_url" });
  expect(await readdir(dataDir)).toEqual([]);
});

test("a mirror can be read by the user of the indexer alone", async () => {
  await repository.commit({ "a.txt": "one" });
  await fetchIt();
  const { mode } = await stat(join(dataDir, "mirrors", "r1", "repository.git"));
  expect(mode & 0o077).toBe(0);
});

test("a mirror has no hooks", async () => {
  await repository.commit({ a: "" });
  const { directory } = await fetchIt();
  expect(await readdir(directory)).not.toContain("hooks");
});

test("a broken mirror is replaced at once", async () => {
  await repository.commit({ a: "1" });
  const { directory } = await fetchIt();
  await writeFile(join(directory, "shallow.lock"), "");
  const commit = await repository.commit({ a: "2" });
  expect(await fetchIt()).toMatchObject({ commit });
});

test("a fetch broken off at any moment doesn't spoil the next one", async () => {
  const commit = await repository.commit(Object.fromEntries(Array.from({ length: 100 }, (_, file) => [`f${file}`, `${file}`])));
  for (let milliseconds = 0; milliseconds < 60; milliseconds += 3) {
    const repoId = `r${milliseconds}`;
    await fetchIt({ repoId, signal: AbortSignal.timeout(milliseconds) }).catch(() => undefined);
    expect(await fetchIt({ repoId })).toMatchObject({ commit });
  }
});

test("a remote that never answers is left as soon as the job is broken off", async () => {
  const silent = await listen();
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const control = new AbortController();
  const asked = new Promise((resolve) => silent.once("connection", resolve));
  const fetching = fetchIt({ cloneUrl: `https://127.0.0.1:${port}/a/b`, signal: control.signal });
  await asked;
  control.abort(new Error("enough"));
  await expect(fetching).rejects.toThrowError("enough");
  silent.close();
});

async function listen(): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("a repository whose objects are named by SHA-256 is fetched, and its history read", async () => {
  const other = await createGitRepository("sha256");
  try {
    const first = await other.commit({ "a.txt": "one" });
    const second = await other.commit({ "a.txt": "two", "b.txt": "new" });
    const remote = { dataDir, repoId: "r2", cloneUrl: other.url, allowFileUrls: true, signal };
    const mirror = await fetchMirror(remote);
    expect({ length: first.length, commit: mirror.commit }).toEqual({ length: 64, commit: second });
    expect(await contents(mirror)).toEqual({ "a.txt": "two", "b.txt": "new" });
    const history = await fetchHistory({ ...remote, ref: "main", commit: second, depth: 10 });
    expect(history).toMatchObject({ commits: [second, first], complete: true });
    const read: unknown[] = [];
    for await (const { commit, paths } of readCommits(history, history.commits, { signal })) {
      read.push([commit, paths]);
    }
    for await (const { commit, changes } of readChanges(history, [second], { signal, leftOut: () => undefined })) {
      read.push([commit, changes.map(({ path, status }) => `${status} ${path}`)]);
    }
    expect(read).toEqual([
      [second, ["a.txt", "b.txt"]],
      [first, ["a.txt"]],
      [second, ["modified a.txt", "added b.txt"]],
    ]);
  } finally {
    await other.remove();
  }
});
