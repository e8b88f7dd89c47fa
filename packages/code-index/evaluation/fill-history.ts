import { describeCommit } from "#indexing/history/describe-commit.ts";
import { readCommits } from "#git/read-commits.ts";
import { addCommits, beginHistory, showHistory } from "#store/index/commits.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { git, type Checkout } from "./git.ts";

/** As many as the product keeps when nothing else is said. */
export const EVALUATED_COMMITS = 2_000;

type Of = { readonly tenant: Tenant; readonly repoId: string; readonly ref: string };

/** Gives an evaluated index the history that its commit had: nothing that came after it, so no fix of what is asked about. */
export async function fillHistory(database: CodeIndexDatabase, of: Of, { directory, commit }: Checkout["source"]): Promise<void> {
  const listed = (await git(directory, ["rev-list", "--date-order", `--max-count=${EVALUATED_COMMITS}`, commit])).trim().split("\n");
  const begun = await beginHistory(database, of);
  if (begun === undefined) {
    throw new Error("The branch is not indexed.");
  }
  const history = { directory, commits: listed, complete: false, contents: false };
  const commits = [];
  for await (const each of readCommits(history, listed.toReversed(), { signal: new AbortController().signal })) {
    commits.push(describeCommit(each, commits.length + 1));
  }
  await addCommits(database, begun.writer, { commits });
  const shown = { commit, complete: false, first: 1, last: commits.length, gone: [], now: new Date() };
  await showHistory(database, begun.writer, shown);
}
