import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGitRepository } from "#testing/git-repository.ts";
import { readBlobs } from "./blobs.ts";

test("a blob whose content git does not have is an error at once, also while there is more to read than a pipe holds", async () => {
  const repository = await createGitRepository();
  try {
    const files = Object.fromEntries(Array.from({ length: 4 }, (_, file) => [`${file}.txt`, String(file).repeat(200_000)]));
    const commit = await repository.commit(files);
    const blobs = repository
      .git("ls-tree", "-r", "HEAD")
      .split("\n")
      .map((line) => line.split(/\s+/)[2] ?? "");
    const [first = "", second = ""] = blobs;
    await rm(join(repository.directory, ".git", "objects", second.slice(0, 2), second.slice(2)));
    const mirror = { directory: join(repository.directory, ".git"), ref: "main", commit, isDefault: true, defaultBranch: "main" };
    const read: string[] = [];
    const reading = async () => {
      for await (const content of readBlobs(mirror, [first, second, ...blobs.slice(2)], { signal: AbortSignal.timeout(20_000) })) {
        read.push(content.toString());
      }
    };
    await expect(reading()).rejects.toThrow(`git has no content for ${second}`);
    expect(read).toEqual(["0".repeat(200_000)]);
  } finally {
    await repository.remove();
  }
});
