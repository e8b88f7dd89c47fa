import { refusal } from "@sightline/foundation/errors";
import { MAX_CHANGED_FILES, type CompareAnswer, type CompareRequest, type FileChange } from "#contract.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { composeChanges, currentPath, toChangeStatus, type ChangedFile } from "./compose-changes.ts";
import { composeRegions, toRegions, type Region } from "./compose-patches.ts";
import { diffOfLines } from "./line-diff.ts";
import { parsePatch, reversePatch, textOfPatch } from "./patch.ts";
import { changesAt, readPatches, readFirstParents } from "./read-changes.store.ts";
import { folderOrFile, requireCommit } from "./read-commit.ts";
import { stepsBetween } from "./steps-between.ts";

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
    const { firstParents } = await readFirstParents(transaction, scope);
    const steps = stepsBetween(firstParents, { from: base.position, to: head.position });
    if (steps === undefined) {
      throw refusal(409, "commits_unrelated", "The two commits have no commit in common among those that are kept.");
    }
    const rows = await changesAt(transaction, scope, { positions: steps.map(({ position }) => position), limit: MAX_CHANGES });
    const byPosition = Map.groupBy(rows, ({ position }) => position);
    const all = composeChanges(steps, (position) => byPosition.get(position) ?? []);
    const asked = all.filter(({ from: before, to: after }) => path === undefined || [before, after].some((name) => isUnder(name, path)));
    const compared = asked.slice(0, MAX_COMPARED).flatMap(({ made }) => made.map(({ change }) => change));
    const isPartial = rows.length >= MAX_CHANGES || steps.some(({ position }) => !firstParents.isWhole(position));
    const changes = compareFiles(asked, { patchOf: await readPatches(transaction, scope, compared), isPartial });
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

type Comparing = { readonly patchOf: Awaited<ReturnType<typeof readPatches>>; readonly isPartial: boolean };

function compareFiles(files: readonly ChangedFile[], comparing: Comparing): FileChange[] {
  let left = MAX_CHARACTERS;
  const changes = files.map((file, index): FileChange => {
    const difference =
      index >= MAX_COMPARED || left <= 0 ? without("not compared, since so much differs; name its path") : compareFile(file, comparing);
    left -= difference.patch.length;
    const status = toChangeStatus(file);
    return { path: currentPath(file), old_path: status === "renamed" ? file.from : null, status, ...difference };
  });
  // What was changed and changed back is the same again.
  return changes.filter(({ status, patch, left_out: leftOut }) => patch !== "" || leftOut !== null || status !== "modified");
}

type Difference = Pick<FileChange, "added" | "deleted" | "patch" | "left_out">;

function compareFile({ made }: ChangedFile, { patchOf, isPartial }: Comparing): Difference {
  const patches = made.map(({ change, reversed }) => ({ ...patchOf(change), reversed }));
  const leftOut = patches.find(({ left_out: why }) => why)?.left_out ?? null;
  const [first, ...others] = patches;
  if (first !== undefined && others.length === 0 && (!first.reversed || leftOut !== null)) {
    return { added: first.added ?? 0, deleted: first.deleted ?? 0, patch: textOfPatch(first.patch ?? null), left_out: leftOut };
  }
  if (leftOut !== null || isPartial) {
    return without(leftOut ?? "not all that was changed between the two is kept");
  }
  const regions = patches.reduce<readonly Region[] | undefined>((composed, { patch = null, reversed }) => {
    const hunks = parsePatch(textOfPatch(patch));
    return composed && composeRegions(composed, toRegions(reversed ? reversePatch(hunks) : hunks));
  }, []);
  if (regions === undefined) {
    return without("what is kept of it does not fit together");
  }
  const parts = regions.map(diffOfLines);
  return {
    added: parts.reduce((sum, { added }) => sum + added, 0),
    deleted: parts.reduce((sum, { deleted }) => sum + deleted, 0),
    patch: parts.map(({ patch }) => patch).join(""),
    left_out: null,
  };
}

function without(reason: string): Difference {
  return { added: 0, deleted: 0, patch: "", left_out: reason };
}
