import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { chooseCloneUrl } from "./clone-url.ts";
import { runGit } from "./git.ts";
import { SourceError } from "./source-error.ts";

export type MirrorOptions = {
  /** `CODEINDEX_DATA_DIR`. */
  readonly dataDir: string;
  readonly repoId: string;
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly allowFileUrls: boolean;
  /** Begin with an empty mirror, in case an attempt before left a broken one. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
};

/** A repository's newest commit, on this machine. */
export type Mirror = {
  /** git's bare repository. */
  readonly directory: string;
  readonly commit: string;
  /** `null` when the remote's HEAD is on no branch. */
  readonly defaultBranch: string | null;
};

const FETCHED = "refs/sightline/head";

/**
 * Fetches the newest commit of a repository's default branch into its mirror below the data folder.
 * Only that commit: no history, no tags, no submodules.
 *
 * @throws {SourceError} with git's own reason.
 */
export async function fetchMirror(options: MirrorOptions): Promise<Mirror> {
  const { dataDir, repoId, fullName, cloneUrl, allowFileUrls, fresh, signal } = options;
  // The row may be older than the rule that allows its address.
  const url = chooseCloneUrl({ fullName, cloneUrl, allowFileUrls });
  const directory = join(resolve(dataDir), "mirrors", `${repoId}.git`);
  const git = (given: readonly string[]) => runGit({ arguments: given, allowFileUrls, signal });
  const remote = [...remoteProgram(url), "--end-of-options", url];

  const defaultBranch = findDefaultBranch(await git(["ls-remote", "--symref", ...remote, "HEAD"]));
  if (fresh) {
    await rm(directory, { recursive: true, force: true });
  }
  if (!(await exists(directory))) {
    // Made beside its place, so that what stands there is never the half of a mirror that a broken-off init leaves.
    const draft = `${directory}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await git(["init", "--bare", "--quiet", "--template=", "--end-of-options", draft]);
    await rename(draft, directory);
  }
  const inMirror = (given: readonly string[]) => runGit({ arguments: given, directory, allowFileUrls, signal });
  const flags = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"];
  try {
    await inMirror(["fetch", ...flags, ...remote, `+HEAD:${FETCHED}`]);
  } catch (error) {
    if (fresh || signal.aborted) {
      throw error;
    }
    // The remote has just answered, so the mirror is the likelier cause: a git that was killed leaves its lock files.
    return fetchMirror({ ...options, fresh: true });
  }
  const commit = await inMirror(["rev-parse", "--verify", "--quiet", "--end-of-options", `${FETCHED}^{commit}`]);
  return { directory, commit: commit.toString("latin1").trim(), defaultBranch };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * A local repository is served by a git that takes no settings from ours, and refuses one that
 * belongs to somebody else; here the operator has allowed such addresses.
 */
function remoteProgram(url: string): readonly string[] {
  return url.startsWith("file:") ? ["--upload-pack=git -c safe.directory=* upload-pack"] : [];
}

function findDefaultBranch(answer: Buffer): string | null {
  const lines = answer.toString("utf8").split("\n");
  if (!lines.some((line) => line.endsWith("\tHEAD"))) {
    throw new SourceError("The repository is empty, or its default branch does not exist.", { transient: false });
  }
  const symbolic = lines.find((line) => line.startsWith("ref: "));
  return /^ref: refs\/heads\/(.+)\tHEAD$/.exec(symbolic ?? "")?.[1] ?? null;
}
