import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCertificate, type Certificate } from "@sightline/foundation/testing/certificates";
import { startGitHttpsServer, type GitHttpsServer } from "#testing/git-https-server.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { fetchHistory, type HistoryOptions } from "./history.ts";
import { readCommits } from "./read-commits.ts";
import type { Remote } from "./remote.ts";

const TOKEN = "t0ken-that-nobody-may-see";

let repository: GitRepository;
let certificate: Certificate;
let server: GitHttpsServer;
let dataDir: string;
let ids: string[];
const signal = new AbortController().signal;

beforeEach(async () => {
  repository = await createGitRepository();
  ids = [];
  for (const content of ["one", "two", "three"]) {
    ids.unshift(await repository.commit({ "a.txt": content, [`${content}.txt`]: content.repeat(1_000) }));
  }
  certificate = await createCertificate();
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  vi.stubEnv("GIT_SSL_CAINFO", certificate.file);
  server = await startGitHttpsServer({ certificate, directory: repository.directory, password: (_user, given) => given === TOKEN });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await repository.remove();
  await certificate.remove();
  await rm(dataDir, { recursive: true, force: true });
});

function fetch(remote: Partial<Remote> = {}, options: Partial<HistoryOptions> = {}) {
  const credential = { kind: "token", token: TOKEN } as const;
  const at = { cloneUrl: `https://${server.host}/o/r.git`, credential, allowPrivateHosts: ["localhost"], ...remote };
  return fetchHistory({ ...at, dataDir, repoId: "r1", ref: "main", commit: ids[0] ?? "", depth: 10, signal, ...options });
}

async function changesOf(history: Awaited<ReturnType<typeof fetch>>) {
  const read: [string, readonly string[]][] = [];
  for await (const { commit, paths } of readCommits(history, history.commits, { signal })) {
    read.push([commit, paths]);
  }
  return read;
}

const CHANGES = [
  ["a.txt", "three.txt"],
  ["a.txt", "two.txt"],
  ["a.txt", "one.txt"],
];

test.for([
  ["is small enough comes with contents", 2 ** 30, true, ["blob", "commit", "tree"]],
  ["is larger comes without, then and later", 20_000, false, ["commit", "tree"]],
] as const)("a history that %s, and the token is in no file", async ([, maxBytes, contents, kinds]) => {
  repository.git("config", "uploadpack.allowFilter", "true");
  ids.unshift(await repository.commit({ "a.txt": "three", "three.txt": "three".repeat(1_000), "large.bin": randomBytes(50_000) }));
  const history = await fetch({}, { maxBytes });
  expect(history).toMatchObject({ commits: ids, complete: true, contents });
  expect(await changesOf(history)).toEqual(ids.map((id, index) => [id, [["large.bin"], ...CHANGES][index]]));
  const objects = repository.git(`--git-dir=${history.directory}`, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)");
  expect([...new Set(objects.split("\n"))].toSorted()).toEqual(kinds);
  expect(await readFile(join(history.directory, "config"), "utf8")).not.toContain(TOKEN);
  const next = await repository.commit({ "b.txt": "next" });
  expect(await fetch({}, { commit: next, maxBytes })).toMatchObject({ commits: [next, ...ids], contents });
});

test("what is at the border of what was fetched is left out, since all of its files would look new", async () => {
  const history = await fetch({}, { depth: 2 });
  expect(history).toMatchObject({ commits: ids.slice(0, 2), complete: false });
  expect(await changesOf(history)).toEqual(ids.slice(0, 2).map((id, index) => [id, CHANGES[index]]));
  const shallow = join(dataDir, "shallow");
  repository.git("clone", "--quiet", "--bare", "--depth=2", repository.url, shallow);
  const cloneUrl = pathToFileURL(shallow).toString();
  const of = await fetch({ cloneUrl, credential: undefined, allowFileUrls: true }, { repoId: "r2" });
  expect(of).toMatchObject({ commits: ids.slice(0, 1), complete: false });
});

test("a history that grows beyond its limit, a refused token and a branch that is gone are errors that say so", async () => {
  await expect(fetch({}, { maxBytes: 10 })).rejects.toMatchObject({ problem: "too_large" });
  await expect(fetch({ credential: { kind: "token", token: "wrong" } })).rejects.toMatchObject({ problem: "access_refused" });
  await expect(fetch({}, { ref: "gone" })).rejects.toMatchObject({ problem: "branch_missing" });
  expect((await fetch({}, { commit: "0".repeat(40) })).commits).toEqual(ids);
});

test("a history starts few processes of git: each is a copy of what may be a large one", async () => {
  const asked = await countCommands();
  await fetch({}, { depth: 100 });
  expect(await asked()).toEqual(["init", "for-each-ref", "fetch", "rev-list"]);
  const commit = await repository.commit({ "b.txt": "next" });
  await fetch({}, { depth: 100, commit });
  expect(await asked()).toEqual(["for-each-ref", "fetch", "rev-list"]);
  // Deeper where the first step is not enough.
  await fetch({}, { depth: 2, commit, repoId: "r2" });
  expect(await asked()).toEqual(["init", "for-each-ref", "fetch", "rev-list", "fetch", "rev-list", "update-ref"]);
});

/** Puts a git before the real one that notes what it is asked for. @returns what tells of it, and forgets. */
async function countCommands(): Promise<() => Promise<readonly string[]>> {
  const [folder, notes] = [join(dataDir, "bin"), join(dataDir, "notes")];
  await mkdir(folder);
  const path = process.env["PATH"] ?? "";
  // What git starts itself finds the real one; what the tests start has a home.
  const note = `for word; do case $HOME$word in /dev/null-*) ;; /dev/null*) echo $word >>${notes}; break;; esac; done`;
  const script = `#!/bin/sh\n${note}\nPATH='${path}' exec git "$@"\n`;
  await writeFile(join(folder, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${path}`);
  return async () => {
    const noted = await readFile(notes, "utf8").catch(() => "");
    await rm(notes, { force: true });
    return noted.split("\n").filter(Boolean);
  };
}
