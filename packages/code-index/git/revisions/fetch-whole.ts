import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withFolderLock } from "@sightline/foundation/files/folder-lock";
import { runGit } from "#git/git.ts";
import { DEFAULT_MAX_BYTES, knownHostsFile, mirrorFolder, type MirrorOptions } from "#git/mirror.ts";
import { intoRepository, withinSize } from "#git/mirror-folder.ts";
import { withRemote } from "#git/remote.ts";
import { SourceError } from "#git/source-error.ts";
import { FETCHED, wholeFolder } from "#git/whole-folder.ts";

const MAX_PACKS = 50;
/** One that was too large is not tried again for so long. */
const TOO_LARGE_MS = 86_400_000;
const TOO_LARGE = "sightline-too-large";

type Fetching = Omit<MirrorOptions, "ref" | "fresh"> & {
  /** One of the remote's. */
  readonly commit: string;
};

/**
 * Fetches all commits of all branches and tags of a repository, for questions about what is older than the history that is kept, or on no
 * indexed branch.
 *
 * @throws {SourceError} with git's own reason; `too_large` beyond `maxBytes`.
 */
export async function fetchWhole({ maxBytes = DEFAULT_MAX_BYTES, signal, ...options }: Fetching): Promise<void> {
  const { dataDir, repoId, commit } = options;
  const folder = wholeFolder(mirrorFolder(dataDir, repoId));
  const directory = join(folder, "repository.git");
  const marker = join(folder, TOO_LARGE);
  if (Date.now() - (await stat(marker).catch(() => ({ mtimeMs: 0 }))).mtimeMs < TOO_LARGE_MS) {
    throw tooLarge(maxBytes);
  }
  await withRemote({ ...options, knownHosts: knownHostsFile(dataDir, repoId) }, signal, (remote) =>
    withFolderLock(folder, signal, () =>
      intoRepository({ directory, fresh: false, maxPacks: MAX_PACKS, commit, signal }, async () => {
        const flags = ["--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"];
        await withinSize({ directory, maxBytes, signal }, (limited) =>
          remote.git(["fetch", ...flags], ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"], { directory, signal: limited }),
        );
        await runGit({ arguments: ["pack-refs", "--all"], directory, signal });
        // Which paths a commit changed, in short: blame and the history of lines take a third of the time.
        await runGit({ arguments: ["commit-graph", "write", "--reachable", "--changed-paths", "--no-progress"], directory, signal });
        await writeFile(join(directory, FETCHED), "");
      }),
    ),
  ).catch(async (error: unknown) => {
    if (error instanceof SourceError && (error.problem === "too_large" || error.problem === "too_slow")) {
      await rm(directory, { recursive: true, force: true });
      await writeFile(marker, "");
      throw tooLarge(maxBytes);
    }
    throw error;
  });
}

function tooLarge(maxBytes: number): SourceError {
  const megabytes = Math.floor(maxBytes / 1_048_576);
  const message = `its whole history is larger than ${megabytes} MB, the limit of CODEINDEX_MIRROR_MAX_MB, or takes longer than ten minutes to fetch`;
  return new SourceError(message, { transient: false, problem: "too_large" });
}
