import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withFolderLock } from "@sightline/foundation/files/folder-lock";
import { runGit } from "./git.ts";
import { DEFAULT_MAX_BYTES, knownHostsFile, mirrorFolder, toMirrorRefs, type MirrorOptions } from "./mirror.ts";
import { exists as isThere, intoRepository, withinSize } from "./mirror-folder.ts";
import { dropRefs, listRefs, splitLines } from "./refs.ts";
import { withRemote, type ReachedRemote } from "./remote.ts";
import { SourceError } from "./source-error.ts";

export type HistoryOptions = Omit<MirrorOptions, "ref"> & {
  /** A branch, or `HEAD`. */
  readonly ref: string;
  /** The commit to begin with; the branch's newest where the remote has it no more. */
  readonly commit: string;
  /** Commits at the most. */
  readonly depth: number;
};

/** A branch's newest commits, on this machine. */
export type History = {
  readonly directory: string;
  /** The newest first, none before all of its children. */
  readonly commits: readonly string[];
  /** Whether the branch's first commits are among them. */
  readonly complete: boolean;
  /** Whether what they changed is here, too, and not its names alone. */
  readonly contents: boolean;
};

/** In the folder of a history that was too large, or took too long, to be fetched with its contents. */
const NAMES_ONLY = "sightline-names-only";

/**
 * Fetches the newest commits of a branch with what they changed; where that is too much the names alone, if the host can do so. They
 * have a folder of their own, so that whoever fetches a commit to index it never waits for this.
 *
 * @throws {SourceError} with git's own reason.
 */
export async function fetchHistory(options: HistoryOptions): Promise<History> {
  const { dataDir, repoId, signal } = options;
  const folder = historyFolder(mirrorFolder(dataDir, repoId));
  return withRemote({ ...options, knownHosts: knownHostsFile(dataDir, repoId) }, signal, async (remote) => {
    const directory = join(folder, "repository.git");
    const marker = join(directory, NAMES_ONLY);
    const fetchInto = (contents: boolean, fresh: boolean) =>
      intoRepository({ directory, fresh, maxPacks: MAX_PACKS, commit: options.commit, signal }, async () => {
        if (!contents) {
          await writeFile(marker, "");
        }
        return fetchDeeper({ ...options, directory, remote, contents });
      });
    return withFolderLock(folder, signal, async () => {
      const contents = !(await isThere(marker));
      try {
        return await fetchInto(contents, options.fresh === true);
      } catch (error) {
        if (!contents || !(error instanceof SourceError) || (error.problem !== "too_large" && error.problem !== "too_slow")) {
          throw error;
        }
        return fetchInto(false, true);
      }
    });
  });
}

/** Below the folder of a repository's mirror. */
export function historyFolder(mirror: string): string {
  return join(mirror, "history");
}

type Fetching = HistoryOptions & { readonly directory: string; readonly remote: ReachedRemote; readonly contents: boolean };

const MAX_PACKS = 50;

/**
 * A depth counts generations, and where branches are merged one has many commits: it begins with few and goes deeper until there are
 * enough. The depth that was enough is in the ref's name, for the next time.
 */
async function fetchDeeper(fetching: Fetching): Promise<History> {
  const { depth } = fetching;
  const own = toMirrorRefs(fetching.ref);
  const refs = new Set(await listRefs(fetching, own));
  const known = Math.max(0, ...[...refs].map((ref) => Number(/\/depth-(\d+)$/.exec(ref)?.[1] ?? 0)));
  // One more than wanted: the last is at the border.
  const steps = new Set([depth / 16, depth / 4, depth].map((share) => Math.ceil(share) + 1));
  for (const step of [...steps].filter((generations) => generations >= Math.min(known, depth + 1))) {
    const target = `${own}/depth-${step}`;
    await fetchStep(fetching, { generations: step, target });
    refs.delete(target);
    const history = await listHistory(fetching, target);
    if (history.complete || history.commits.length >= depth || step > depth) {
      await dropRefs(fetching, [...refs]);
      return history;
    }
    refs.add(target);
  }
  throw new SourceError("The history has no depth.", { transient: false });
}

async function fetchStep(
  { directory, remote, ref, contents, maxBytes = DEFAULT_MAX_BYTES, signal }: Fetching,
  { generations, target }: { readonly generations: number; readonly target: string },
): Promise<void> {
  const source = ref === "HEAD" ? "HEAD" : `refs/heads/${ref}`;
  const filter = contents ? [] : ["--filter=blob:none"];
  const flags = ["--quiet", `--depth=${generations}`, ...filter, "--no-tags", "--no-recurse-submodules"];
  await withinSize({ directory, maxBytes, signal }, (limited) =>
    remote.git(["fetch", ...flags, "--no-write-fetch-head", "--force"], [`+${source}:${target}`], { directory, signal: limited }),
  );
}

async function listHistory({ directory, commit, depth, contents, signal }: Fetching, tip: string): Promise<History> {
  // Parents of commits at the border of a shallow clone are not here, so what those commits changed is unknown.
  const border = new Set(splitLines(await readFile(join(directory, "shallow")).catch(() => Buffer.of())));
  const walk = async (from: string, ...flags: readonly string[]) => {
    const limit = `--max-count=${depth + border.size + 1}`;
    const given = ["rev-list", ...flags, "--date-order", limit, "--end-of-options", from];
    return splitLines(await runGit({ arguments: given, directory, signal }));
  };
  const fromCommit = await walk(commit, "--ignore-missing");
  // The tip has to be here.
  const listed = fromCommit.length > 0 ? fromCommit : await walk(tip);
  const known = listed.filter((id) => !border.has(id));
  return { directory, contents, commits: known.slice(0, depth), complete: known.length <= depth && known.length === listed.length };
}
