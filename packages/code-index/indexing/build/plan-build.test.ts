import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { planWhole } from "./plan-build.ts";

let source: GitRepository;

beforeEach(async () => {
  source = await createGitRepository();
});

afterEach(() => source.remove());

async function plan(commit: string, rules: { include?: readonly string[]; exclude?: readonly string[] } = {}) {
  const mirror = { directory: join(source.directory, ".git"), commit, ref: "main", isDefault: true, defaultBranch: "main" };
  return planWhole({ mirror, include: [], exclude: [], ...rules, signal: new AbortController().signal });
}

test("what is left out by the commit's .sightlineignore, the repository's patterns or its kind says why", async () => {
  await symlink("src", join(source.directory, "link"));
  const commit = await source.commit({
    ".sightlineignore": Buffer.from("\u{feff}*.secret\r\n/dist/\r\n", "utf16le"),
    "src/a.ts": "a",
    "src/b.test.ts": "b",
    "src/c.secret": "c",
    "dist/d.ts": "d",
    "vendor/lib/e.ts": "e",
    "package-lock.json": "{}",
  });
  const { files, skipped } = await plan(commit, { exclude: ["*.test.ts"] });

  expect(files.map(({ path }) => path)).toEqual([".sightlineignore", "src/a.ts", "vendor/lib/e.ts"]);
  expect(Object.fromEntries(skipped.map(({ path, skip_reason: reason }) => [path, reason]))).toEqual({
    "dist/d.ts": "ignored by .sightlineignore: /dist/",
    link: "a symlink",
    "package-lock.json": "a lock file",
    "src/b.test.ts": "excluded by *.test.ts",
    "src/c.secret": "ignored by .sightlineignore: *.secret",
  });
  const { files: included } = await plan(commit, { include: ["/vendor/"] });
  expect(included.map(({ path }) => path)).toEqual(["vendor/lib/e.ts"]);
});

test("a .sightlineignore that can't be used stops the build instead of letting everything in", async () => {
  const tooLarge = await source.commit({ ".sightlineignore": "a\n".repeat(40_000) });
  await expect(plan(tooLarge)).rejects.toThrow(".sightlineignore is larger than 64 KiB");
  const tooWild = await source.commit({ ".sightlineignore": "*a*b*c*d*\n" });
  await expect(plan(tooWild)).rejects.toThrow("Line 1 of .sightlineignore");
});

test("a .sightlineignore that is a link is none", async () => {
  await symlink("/etc/passwd", join(source.directory, ".sightlineignore"));
  const commit = await source.commit({ "a.ts": "a" });
  expect((await plan(commit)).files.map(({ path }) => path)).toEqual(["a.ts"]);
});
