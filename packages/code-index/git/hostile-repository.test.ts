import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { listTree, readBlobs } from "#git/blobs.ts";
import { fetchMirror, type Mirror } from "#git/mirror.ts";
import { sourceErrorFrom } from "#git/source-error.ts";

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

function fetchIt(): Promise<Mirror> {
  return fetchMirror({ dataDir, repoId: "r1", cloneUrl: repository.url, allowFileUrls: true, signal });
}

/** git with an input, as `mktree` wants it. */
function plumb(words: readonly string[], input: string | Buffer): string {
  const { stdout, stderr, status } = spawnSync("git", ["-C", repository.directory, ...words], { input, maxBuffer: 1e9 });
  expect([status, stderr.toString()]).toEqual([0, ""]);
  return stdout.toString().trim();
}

/** Makes a tree whatever git thinks of its names. */
function writeTree(entries: readonly (readonly [mode: string, name: string, id: string])[]): string {
  const content = Buffer.concat(entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]));
  return plumb(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], content);
}

function commitTree(tree: string): string {
  const commit = plumb(["-c", "user.name=T", "-c", "user.email=t@example.org", "commit-tree", tree, "-m", "x"], "");
  repository.git("update-ref", "refs/heads/main", commit);
  return commit;
}

test("names that lead out of the folder, into .git or to another file are names like any other", async () => {
  const blob = plumb(["hash-object", "-w", "--stdin"], "harmless");
  const link = plumb(["hash-object", "-w", "--stdin"], "/etc/passwd");
  const hooks = writeTree([["100755", "post-checkout", blob]]);
  const git = writeTree([
    ["100644", "config", blob],
    ["40000", "hooks", hooks],
  ]);
  commitTree(
    writeTree([
      ["40000", "..", writeTree([["100644", "escaped", blob]])],
      ["40000", ".git", git],
      ["100644", ".gitmodules", plumb(["hash-object", "-w", "--stdin"], '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n')],
      ["120000", "link", link],
      ["160000", "x", "0".repeat(39) + "1"],
    ]),
  );
  const mirror = await fetchIt();
  const entries = await listTree(mirror, { signal });
  expect(entries.map(({ path, kind }) => [path, kind])).toEqual([
    ["../escaped", "file"],
    [".git/config", "file"],
    [".git/hooks/post-checkout", "file"],
    [".gitmodules", "file"],
    ["link", "symlink"],
    ["x", "submodule"],
  ]);
  const contents = readBlobs(mirror, [link], { signal });
  expect((await contents.next()).value?.toString()).toBe("/etc/passwd");
  await contents.return();
  expect((await readdir(dataDir, { recursive: true })).filter((name) => /escaped|post-checkout|passwd/.test(name))).toEqual([]);
});

test("a small repository that claims to have ten milliards of files is left at the limit", async () => {
  let id = plumb(["hash-object", "-w", "--stdin"], "bomb");
  for (let level = 0; level < 10; level++) {
    const mode = level === 0 ? "100644" : "40000";
    id = writeTree(Array.from({ length: 10 }, (_, index) => [mode, `d${index}`, id] as const));
  }
  commitTree(id);
  const mirror = await fetchIt();
  await expect(listTree(mirror, { signal })).rejects.toMatchObject({
    name: "SourceError",
    problem: "too_large",
    transient: false,
    message: "The repository has too many files; 500,000 are the most.",
  });
}, 120_000);

test("more files than are taken are too many", async () => {
  await repository.commit(Object.fromEntries(Array.from({ length: 11 }, (_, file) => [`f${file}`, ""])));
  const mirror = await fetchIt();
  expect(await listTree(mirror, { signal, maxFiles: 11 })).toHaveLength(11);
  await expect(listTree(mirror, { signal, maxFiles: 10 })).rejects.toMatchObject({
    problem: "too_large",
    message: "The repository has too many files; 10 are the most.",
  });
});

test.for([
  ["fatal: write error: No space left on device", true, "other"],
  ["fatal: unable to access 'https://a/': The requested URL returned error: 503", true, "other"],
  ["error: RPC failed; curl 56 GnuTLS recv error\nfatal: early EOF", true, "other"],
  ["remote: Repository not found.\nfatal: repository 'https://a/' not found", false, "access_refused"],
  ["git@a: Permission denied (publickey).\nfatal: Could not read from remote repository.", false, "access_refused"],
  ["fatal: couldn't find remote ref refs/heads/x", false, "branch_missing"],
] as const)("%j is told apart", ([output, transient, problem]) => {
  expect(sourceErrorFrom(output, "exit code 128")).toMatchObject({ transient, problem });
});
