import { AppError, refusal } from "@sightline/foundation/errors";
import { MAX_CHANGED_FILES, type CompareAnswer, type CompareRequest, type FileChange } from "#contract.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { stepsBetween, type Step } from "./commit-graph.ts";
import { composeChanges, nameOf, statusOf, type ChangedFile } from "./compose-changes.ts";
import { openHistory, type FileHistory } from "./file-at-commit.ts";
import { diffOfLines } from "./line-diff.ts";
import { textOfPatch } from "./patch.ts";
import { changesAt, type FoundCommit } from "./read-changes.store.ts";
import { folderOrFile, requireCommit } from "./read-commit.ts";

const READ_MS = 12_000;
/** Changes of all commits between the two. */
const MAX_CHANGES = 50_000;
/** Files whose lines are compared, and characters of their hunks; of others it is said that they changed. */
const MAX_COMPARED = 60;
const MAX_CHARACTERS = 1_000_000;

/**
 * What changed between two commits of a branch.
 *
 * @throws {AppError} `commits_unrelated` (409), `invalid_query` (400), and as `requireCommit` and `readScope`.
 */
export async function compareCommits(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  { base: from, head: to, path: given }: Omit<CompareRequest, "ref">,
): Promise<CompareAnswer> {
  refuseNul([given], "A NUL character is in no path.");
  const path = folderOrFile(given);
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const base = await requireCommit(transaction, scope, from);
    const head = await requireCommit(transaction, scope, to);
    const history = await openHistory(transaction, scope, build);
    const steps = stepsOf(history, base, head);
    const rows = await changesAt(transaction, scope, { positions: steps.map(({ node }) => node.position), limit: MAX_CHANGES });
    const byPosition = Map.groupBy(rows, ({ position }) => position);
    const all = composeChanges(steps, (position) => byPosition.get(position) ?? []);
    const asked = all.filter(({ from: old, to: young }) => path === undefined || [old, young].some((name) => isUnder(name, path)));
    const changes = await compareFiles(asked, { history, base, head });
    const isPartial = rows.length >= MAX_CHANGES || steps.some(({ node }) => (node.changes_total ?? Infinity) > MAX_CHANGED_FILES);
    return {
      repo: base.repo,
      ref: build?.ref ?? "",
      base: base.commit,
      head: head.commit,
      changes: changes.slice(0, MAX_CHANGED_FILES),
      changes_total: isPartial ? null : changes.length,
      notes: isPartial ? ["Not all that the commits between the two changed is kept; files may be missing here."] : [],
    };
  });
}

function isUnder(name: string | null, path: string): boolean {
  return name === path || name?.startsWith(`${path}/`) === true;
}

function stepsOf({ graph }: FileHistory, base: FoundCommit, head: FoundCommit): readonly Step[] {
  const [from, to] = [graph.at(base.position), graph.at(head.position)];
  const steps = from === undefined || to === undefined ? undefined : stepsBetween(graph, from, to);
  if (steps === undefined) {
    throw refusal(409, "commits_unrelated", "The two commits have no commit in common among those that are kept.");
  }
  return steps;
}

type Comparing = { readonly history: FileHistory; readonly base: FoundCommit; readonly head: FoundCommit };

async function compareFiles(files: readonly ChangedFile[], comparing: Comparing): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  let [compared, left] = [0, MAX_CHARACTERS];
  for (const file of files) {
    const difference = compared >= MAX_COMPARED || left <= 0 ? TOO_MUCH : await compareFile(file, comparing);
    compared++;
    left -= difference.patch.length;
    const status = statusOf(file);
    // What was changed and changed back is the same again.
    if (difference.patch !== "" || difference.left_out !== null || status !== "modified") {
      changes.push({ path: nameOf(file), old_path: status === "renamed" ? file.from : null, status, ...difference });
    }
  }
  return changes;
}

type Difference = Pick<FileChange, "added" | "deleted" | "patch" | "left_out">;

const TOO_MUCH: Difference = { added: 0, deleted: 0, patch: "", left_out: "not compared, since so much differs; name its path" };

async function compareFile({ from, to, only }: ChangedFile, { history, base, head }: Comparing): Promise<Difference> {
  if (only !== undefined && (!only.reversed || only.change.left_out !== null)) {
    const { added, deleted, patch, left_out: leftOut } = only.change;
    return { added, deleted, patch: textOfPatch(patch), left_out: leftOut };
  }
  try {
    const before = from === null ? [] : await history.linesAt(base.position, from);
    const after = to === null ? [] : await history.linesAt(head.position, to);
    return { ...diffOfLines(before, after), left_out: null };
  } catch (error) {
    if (error instanceof AppError) {
      return { added: 0, deleted: 0, patch: "", left_out: error.message };
    }
    throw error;
  }
}
