import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { findBranch, type FoundBranch } from "./branches.ts";
import { withFolderLock } from "@sightline/foundation/files/folder-lock";
import { runGit } from "./git.ts";
import { intoRepository, withinSize } from "./mirror-folder.ts";
import { withRemote, type ReachedRemote, type Remote } from "./remote.ts";
import { SourceError } from "./source-error.ts";

export type MirrorOptions = Remote & {
  /** `CODEINDEX_DATA_DIR`. */
  readonly dataDir: string;
  readonly repoId: string;
  /** A branch; the default one when left out. */
  readonly ref?: string | undefined;
  /** Begin with an empty mirror, in case an attempt before left a broken one. */
  readonly fresh?: boolean;
  /** What the mirror may grow to. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
};

/** A branch's newest commit, on this machine. */
export type Mirror = FoundBranch & {
  /** git's bare repository, which holds the repository's other branches, too. */
  readonly directory: string;
};

export const DEFAULT_MAX_BYTES = 4_096 * 1_048_576;

/**
 * Fetches the newest commit of a repository's branch into its mirror below the data folder.
 * Only that commit: no history, no tags, no submodules. Processes that share the folder take turns.
 *
 * @throws {SourceError} with git's own reason.
 */
export async function fetchMirror(options: MirrorOptions): Promise<Mirror> {
  const { dataDir, repoId, ref, fresh = false, signal } = options;
  const folder = mirrorFolder(dataDir, repoId);
  return withRemote({ ...options, knownHosts: knownHostsFile(dataDir, repoId) }, signal, async (remote) => {
    const branch = await findBranch(remote, ref);
    const directory = join(folder, "repository.git");
    const commit = await withFolderLock(folder, signal, () =>
      intoRepository({ directory, fresh, maxPacks: MAX_PACKS, commit: branch.commit, signal }, () =>
        fetchBranch({ ...options, directory, remote, branch }),
      ),
    );
    return { directory, ...branch, commit };
  });
}

/** Remembers the keys of the ssh hosts a repository was fetched from. */
export function knownHostsFile(dataDir: string, repoId: string): string {
  return join(mirrorFolder(dataDir, repoId), "known_hosts");
}

export function mirrorFolder(dataDir: string, repoId: string): string {
  return join(mirrorsFolder(dataDir), repoId);
}

export function mirrorsFolder(dataDir: string): string {
  return join(resolve(dataDir), "mirrors");
}

type Fetching = MirrorOptions & { readonly directory: string; readonly remote: ReachedRemote; readonly branch: FoundBranch };

/** `tidyMirrors` puts them together long before, when nobody waits for it. */
const MAX_PACKS = 200;

async function fetchBranch({ directory, remote, branch, maxBytes = DEFAULT_MAX_BYTES, signal }: Fetching): Promise<string> {
  const own = toMirrorRefs(branch.ref);
  if ((await readTip(directory, own, signal)) === branch.commit) {
    return branch.commit;
  }
  const source = branch.ref === "HEAD" ? "HEAD" : `refs/heads/${branch.ref}`;
  const flags = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"];
  await withinSize({ directory, maxBytes, signal }, (limited) =>
    remote.git(["fetch", ...flags], [`+${source}:${own}/tip`], { directory, signal: limited }),
  );
  const fetched = await readTip(directory, own, signal);
  if (fetched === undefined) {
    throw new SourceError("What was fetched is not a commit.", { transient: true });
  }
  return fetched;
}

async function readTip(directory: string, own: string, signal: AbortSignal): Promise<string | undefined> {
  const listed = await runGit({ arguments: ["for-each-ref", "--format=%(objecttype) %(objectname)", `${own}/tip`], directory, signal });
  return /^commit (.+)$/.exec(listed.toString("latin1").trim())?.[1];
}

/** Names of branches clash on a disk: `a` and `a/b`, `A` and `a`. */
export function toMirrorRefs(branch: string): string {
  return `refs/sightline/${createHash("sha256").update(branch).digest("hex").slice(0, 32)}`;
}
