import { createHash } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findBranch, type FoundBranch } from "./branches.ts";
import { runGit } from "./git.ts";
import { withRemote, type ReachedRemote, type Remote } from "./remote.ts";

export type MirrorOptions = Remote & {
  /** `CODEINDEX_DATA_DIR`. */
  readonly dataDir: string;
  readonly repoId: string;
  readonly fullName?: string;
  /** A branch; the default one when left out. */
  readonly ref?: string | undefined;
  /** Commits of this branch that `changedPaths` must be able to read as long as they are named here, if they are in the mirror. */
  readonly keep?: readonly string[];
  /** Begin with an empty mirror, in case an attempt before left a broken one. */
  readonly fresh?: boolean;
  readonly signal: AbortSignal;
};

/** A branch's newest commit, on this machine. */
export type Mirror = FoundBranch & {
  /** git's bare repository, which holds the repository's other branches, too. */
  readonly directory: string;
};

/**
 * Fetches the newest commit of a repository's branch into its mirror below the data folder.
 * Only that commit: no history, no tags, no submodules.
 *
 * @throws {SourceError} with git's own reason.
 */
export async function fetchMirror(options: MirrorOptions): Promise<Mirror> {
  const directory = join(resolve(options.dataDir), "mirrors", options.repoId, "repository.git");
  return withRemote(options, options.signal, async (remote) => {
    const branch = await findBranch(remote, options.ref);
    return fetchInto({ ...options, fresh: options.fresh ?? false, directory, remote, branch });
  });
}

type Fetching = MirrorOptions & {
  readonly fresh: boolean;
  readonly directory: string;
  readonly remote: ReachedRemote;
  readonly branch: FoundBranch;
};

async function fetchInto(fetching: Fetching): Promise<Mirror> {
  const { directory, remote, branch, keep = [], fresh, signal } = fetching;
  if (fresh) {
    await rm(directory, { recursive: true, force: true });
  }
  await provideRepository(directory, signal);
  const own = refsOf(branch.ref);
  try {
    await keepCommits(directory, { own, keep, signal });
    const source = branch.ref === "HEAD" ? "HEAD" : `refs/heads/${branch.ref}`;
    const flags = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"];
    await remote.git(["fetch", ...flags], [`+${source}:${own}/tip`], directory);
  } catch (error) {
    if (fresh || signal.aborted) {
      throw error;
    }
    // The remote has just answered, so the mirror is the likelier cause: a git that was killed leaves its lock files.
    return fetchInto({ ...fetching, fresh: true });
  }
  const commit = await runGit({
    arguments: ["rev-parse", "--verify", "--quiet", "--end-of-options", `${own}/tip^{commit}`],
    directory,
    signal,
  });
  return { directory, ...branch, commit: commit.toString("latin1").trim() };
}

/** Names of branches clash on a disk: `a` and `a/b`, `A` and `a`. */
function refsOf(branch: string): string {
  return `refs/sightline/${createHash("sha256").update(branch).digest("hex").slice(0, 32)}`;
}

async function provideRepository(directory: string, signal: AbortSignal): Promise<void> {
  if (await exists(directory)) {
    return;
  }
  // Made beside its place, so that what stands there is never the half of a mirror that a broken-off init leaves.
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await runGit({ arguments: ["init", "--bare", "--quiet", "--template=", "--end-of-options", draft], signal });
  await rename(draft, directory);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

type Keeping = { readonly own: string; readonly keep: readonly string[]; readonly signal: AbortSignal };

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Refers to the commits to keep, and to no others, so that no tidying up removes what they hold. */
async function keepCommits(directory: string, { own, keep, signal }: Keeping): Promise<void> {
  const asked = keep.filter((commit) => OBJECT_ID.test(commit));
  const git = (given: readonly string[], input?: string) => runGit({ arguments: given, directory, signal }, input);
  const [listed, checked] = [
    await git(["for-each-ref", "--format=%(refname)", `${own}/kept/`]),
    await git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked.map((commit) => `${commit}\n`).join("")),
  ];
  const kept = linesOf(listed);
  const found = linesOf(checked).flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : []));
  const wanted = found.map((commit) => `${own}/kept/${commit}`);
  const changes = [
    ...found.filter((commit) => !kept.includes(`${own}/kept/${commit}`)).map((commit) => `create ${own}/kept/${commit} ${commit}\n`),
    ...kept.filter((ref) => !wanted.includes(ref)).map((ref) => `delete ${ref}\n`),
  ];
  if (changes.length > 0) {
    await git(["update-ref", "--stdin"], changes.join(""));
  }
}

function linesOf(printed: Buffer): readonly string[] {
  return printed.toString("latin1").split("\n").filter(Boolean);
}
