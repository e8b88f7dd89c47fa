import type { CommitAnswer, CompareAnswer, FileChange } from "#contract.ts";
import { readChanges, readDifference, type CommitChanges } from "#git/read-changes.ts";
import { readCommits, readPickaxe, type Commit } from "#git/read-commits.ts";
import { isTreePath } from "#git/revisions/read-blob.ts";
import { describeCommit } from "#indexing/history/describe-commit.ts";
import type { Reading } from "./reading.ts";

/** Commits and what they changed, as git says and answers have it. */

const PATHS = 100;

type PresentedCommit = CommitAnswer["commit"];

function presentCommit(repo: string, commit: Commit): PresentedCommit {
  const { authored_at, committed_at, author, author_email, subject, body } = describeCommit(commit, 0);
  const paths = commit.paths.slice(0, PATHS);
  const said = { author, author_email, authored_at, committed_at, subject, body };
  return { repo, commit: commit.commit, parents: [...commit.parents], ...said, paths, paths_total: commit.pathsTotal };
}

/** Commits by their hashes. */
export async function presentCommits(
  { repo, place, signal }: Reading,
  hashes: readonly string[],
  { withPaths = false }: { readonly withPaths?: boolean } = {},
): Promise<readonly PresentedCommit[]> {
  const found: PresentedCommit[] = [];
  for await (const commit of readCommits(place, [...new Set(hashes)], { paths: withPaths ? "settled" : "none", signal })) {
    found.push(presentCommit(repo, commit));
  }
  return found;
}

type Within = { readonly path?: string | undefined };

export async function readOneCommit(reading: Reading, { revision, path }: Within & { readonly revision: string }): Promise<CommitAnswer> {
  const { repo, branch, place, rules, signal } = reading;
  const hash = await reading.resolve(revision);
  const [commit] = await presentCommits(reading, [hash], { withPaths: true });
  const { value: changed } = await readChanges(place, [hash], { leftOut: rules.leftOut, isAsked: isUnder(path), signal }).next();
  if (commit === undefined || changed === undefined) {
    throw new Error("git did not tell of a commit that it resolved.");
  }
  return {
    repo,
    ref: branch.ref,
    commit,
    ...presentChanges(reading, changed, path, `This commit did not change ${path ?? ""}; without path all that it changed is here.`),
  };
}

export async function compareTwo(
  reading: Reading,
  { base: from, revision, path }: Within & { readonly base: string; readonly revision: string },
): Promise<CompareAnswer> {
  const { repo, branch, place, rules, signal } = reading;
  const [base, head] = [await reading.resolve(from), await reading.resolve(revision)];
  const changed = await readDifference(place, { base, head }, { leftOut: rules.leftOut, isAsked: isUnder(path), signal });
  return { repo, ref: branch.ref, base, head, ...presentChanges(reading, changed, path, `Between the two ${path ?? ""} did not change.`) };
}

function isUnder(path: string | undefined): (name: string) => boolean {
  return (name) => path === undefined || name === path || name.startsWith(`${path}/`);
}

function presentChanges({ rules }: Reading, { changes, total }: CommitChanges, path: string | undefined, none: string) {
  const more =
    path === undefined && total > changes.length ? [`${total - changes.length} more files changed; only the first are here.`] : [];
  return {
    changes: changes.map(({ path: name, oldPath, status, added, deleted, patch, leftOut }): FileChange => ({
      path: name,
      old_path: oldPath,
      status,
      added,
      deleted,
      patch: rules.textOf(name, patch).text,
      left_out: leftOut,
    })),
    changes_total: total,
    notes: path !== undefined && changes.length === 0 ? [none] : more,
  };
}

type Sought = Within & {
  readonly revision: string;
  readonly text: string;
  readonly author?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly before: number;
  readonly limit: number;
};

export type PickaxeAnswer = { readonly commits: readonly PresentedCommit[]; readonly hasMore: boolean; readonly notes: readonly string[] };

/** Commits that add or remove a text, and where; not those that did so only in files that the repository's rules leave out. */
export async function findByText(reading: Reading, { revision, before, limit, author, ...sought }: Sought): Promise<PickaxeAnswer> {
  const { repo, place, rules, signal } = reading;
  const commit = await reading.resolve(revision);
  if (sought.path !== undefined && !isTreePath(sought.path)) {
    return { commits: [], hasMore: false, notes: [] };
  }
  const found: PresentedCommit[] = [];
  for await (const each of readPickaxe(place, { ...sought, commit }, { signal })) {
    const paths = each.paths.filter((path) => rules.leftOut(path) === undefined);
    const isBy =
      author === undefined || `${each.author.toString()} <${each.authorEmail.toString()}>`.toLowerCase().includes(author.toLowerCase());
    // What a commit at the border changed is not known: to git it adds all that there is.
    if (paths.length > 0 && isBy && !place.border.has(each.commit)) {
      found.push(presentCommit(repo, { ...each, paths, pathsTotal: paths.length }));
    }
    if (found.length > before + limit) {
      break;
    }
  }
  const hasMore = found.length > before + limit;
  if (!hasMore && place.border.size > 0) {
    reading.goBeyond("Only the newest commits were looked through");
  }
  return { commits: found.slice(before, before + limit), hasMore, notes: [] };
}
