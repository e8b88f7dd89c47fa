import { createHash } from "node:crypto";
import { describeChanges, describeCommit } from "#indexing/history/describe-commit.ts";
import { addCommits, beginHistory, showHistory } from "#store/index/commits.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "./seed-build.ts";

const BATCH = 500;

export type WrittenHistory = { readonly repo: string; readonly commits: readonly string[]; readonly paths: readonly string[] };

/** Writes a branch whose history is made up: each commit changes a line in two files, and every tenth merges the one before it. */
export async function writeHistory(database: CodeIndexDatabase, tenant: Tenant, count: number): Promise<WrittenHistory> {
  const repo = `bench/history-${count}`;
  const commits = Array.from({ length: count }, (_, index) => hashOf(`commit ${index}`));
  const paths = Array.from({ length: Math.max(20, Math.round(count / 500)) }, (_, index) => `src/room-${index % 20}/file-${index}.ts`);
  const seed = { tenant, repo, commit: commits.at(-1) ?? "" };
  const { repoId } = await seedBuild(database, { ...seed, files: {} });
  const begun = await beginHistory(database, { tenant, repoId, ref: "main" });
  if (begun === undefined) {
    throw new Error("The history can't be begun.");
  }
  let changed: readonly string[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const batch = commits.slice(start, start + BATCH).map((commit, offset) => {
      const index = start + offset;
      // Against its first parent a merge changed what the commit that it merges did.
      const isMerge = index % 10 === 9;
      const two = [index * 7, index * 13 + 1].map((number) => paths[number % paths.length] ?? "");
      changed = isMerge ? changed : index === 0 ? paths : [...new Set(two)];
      const parents = isMerge ? [commits[index - 2] ?? "", commits[index - 1] ?? ""] : commits.slice(Math.max(index - 1, 0), index);
      const told = describe({ commit, parents, index, paths: isMerge ? [] : changed });
      return { commit: describeCommit(told, index + 1, changed.length), changes: describeChanges({ paths: changed }, index + 1) };
    });
    await addCommits(database, begun.writer, { commits: batch.map((each) => each.commit), changes: batch.flatMap((each) => each.changes) });
  }
  const range = { first: 1, last: count, gone: [] };
  await showHistory(database, begun.writer, { commit: seed.commit, complete: true, ...range, now: new Date() });
  await seedBuild(database, { ...seed, files: Object.fromEntries(paths.map((path) => [path, "export const value = 0;\n"])) });
  return { repo, commits, paths };
}

type Told = { readonly commit: string; readonly parents: readonly string[]; readonly index: number; readonly paths: readonly string[] };

function describe({ commit, parents, index, paths }: Told): Parameters<typeof describeCommit>[0] {
  const author = { author: Buffer.from(`Author ${index % 50}`), authorEmail: Buffer.from(`author-${index % 50}@example.org`) };
  const at = 1_600_000_000 + index * 600;
  const message = Buffer.from(`Change ${index} of room ${index % 20}\n\nIt mends what was found in case ${index % 997}.`);
  return { commit, parents, ...author, authoredAt: at, committedAt: at, message, paths, pathsTotal: paths.length, moves: [] };
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
