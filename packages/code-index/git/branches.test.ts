import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { isBranchName } from "./branch-name.ts";
import { listBranches } from "./branches.ts";
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

function fetchIt(ref?: string): Promise<Mirror> {
  return fetchMirror({ dataDir, repoId: "r1", cloneUrl: repository.url, allowFileUrls: true, signal, ref });
}

function list() {
  return listBranches({ cloneUrl: repository.url, allowFileUrls: true }, { signal });
}

async function commitOn(branch: string): Promise<string> {
  repository.git("checkout", "--quiet", "-B", branch);
  return repository.commit({ "which.txt": branch });
}

test("a mirror holds several branches, whatever their names, and each is fetched by itself", async () => {
  const main = await commitOn("main");
  const names = ["Feature", "feature/ünï-#1%", "a.b/c", "x@y"];
  const commits = new Map<string, string>();
  for (const name of names) {
    commits.set(name, await commitOn(name));
  }
  repository.git("checkout", "--quiet", "main");
  for (const name of names) {
    expect(await fetchIt(name)).toMatchObject({ ref: name, commit: commits.get(name), isDefault: false, defaultBranch: "main" });
  }
  expect(await fetchIt("main")).toMatchObject({ ref: "main", commit: main, isDefault: true });
  expect(await fetchIt()).toMatchObject({ ref: "main", commit: main, isDefault: true });
});

test("a branch in whose place a folder of branches comes is no obstacle", async () => {
  await commitOn("main");
  await commitOn("a");
  await fetchIt("a");
  repository.git("checkout", "--quiet", "main");
  repository.git("branch", "-D", "a");
  const commit = await commitOn("a/b");
  expect(await fetchIt("a/b")).toMatchObject({ commit });
  await expect(fetchIt("a")).rejects.toMatchObject({ problem: "branch_missing", transient: false });
});

test("a remote whose HEAD is on no branch is fetched at its commit", async () => {
  const commit = await commitOn("main");
  repository.git("checkout", "--quiet", "--detach");
  expect(await fetchIt()).toMatchObject({ ref: "HEAD", isDefault: true, defaultBranch: null, commit });
});

test("the branches of a remote are listed with their commits, and nothing is fetched", async () => {
  const main = await commitOn("main");
  const side = await commitOn("side/foo");
  repository.git("tag", "v1");
  repository.git("checkout", "--quiet", "main");
  expect(await list()).toEqual({
    defaultBranch: "main",
    head: main,
    branches: [
      { name: "main", commit: main },
      { name: "side/foo", commit: side },
    ],
  });
});

test("an empty repository says so", async () => {
  await expect(list()).rejects.toMatchObject({ problem: "branch_missing", message: expect.stringContaining("empty") });
});

const HOSTILE = [
  "--upload-pack=touch /tmp/x",
  "-b",
  "*",
  "a:refs/heads/b",
  "+main",
  "a b",
  "a..b",
  "main\0",
  "a\nb",
  "@{-1}",
  "refs/../x",
  "a.lock",
];

test.for([...HOSTILE, "main^", "main~1", "HEAD", "@", "", "/a", "a/", "a//b", ".a", "a/.b", "a.", "x".repeat(300), "\ud800"])(
  "%j is no branch's name",
  async (name) => {
    await commitOn("main");
    await expect(fetchIt(name)).rejects.toMatchObject({ problem: "branch_missing" });
  },
);

test("a name is a branch's where git says so", () => {
  const names = [
    ...HOSTILE,
    "main",
    "a/b",
    "a-b",
    "#1",
    "ünï",
    "a.b",
    "a@b",
    "{",
    "a{b",
    "@a",
    "a@",
    "a}",
    "$(x)",
    "`x`",
    "'",
    '"',
    "&|;",
    "a.lock/b",
    "%2e",
  ];
  for (const name of names.filter((given) => !given.includes("\0"))) {
    expect([name, isBranchName(name)]).toEqual([name, isOneForGit(name)]);
  }
});

function isOneForGit(name: string): boolean {
  try {
    execFileSync("git", ["check-ref-format", `refs/heads/${name}`]);
    return !name.startsWith("-");
  } catch {
    return false;
  }
}
