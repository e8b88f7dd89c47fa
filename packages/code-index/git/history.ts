import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withFolderLock } from "@sightline/foundation/folder-lock";
import { runGit } from "./git.ts";
import { DEFAULT_MAX_BYTES, knownHostsFile, mirrorFolder, refsOf, type MirrorOptions } from "./mirror.ts";
import { exists as isThere, intoRepository, withinSize } from "./mirror-folder.ts";
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
      intoRepository({ directory, fresh, maxPacks: MAX_PACKS, signal }, async () => {
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
  const { directory, depth, signal } = fetching;
  const own = refsOf(fetching.ref);
  const before = await listRefs(directory, own, signal);
  const known = Math.max(0, ...before.map((ref) => Number(/\/depth-(\d+)$/.exec(ref)?.[1] ?? 0)));
  // One more than wanted: the last is at the border.
  const steps = [depth / 16, depth / 4, depth].map((share) => Math.ceil(share) + 1);
  for (const step of steps.filter((generations) => generations >= Math.min(known, depth + 1))) {
    const target = `${own}/depth-${step}`;
    await fetchStep(fetching, { generations: step, target });
    const others = (await listRefs(directory, own, signal)).filter((ref) => ref !== target);
    await runGit({ arguments: ["update-ref", "--stdin"], directory, signal }, others.map((ref) => `delete ${ref}\n`).join(""));
    const history = await listHistory(fetching, target);
    if (history.complete || history.commits.length >= depth || step > depth) {
      return history;
    }
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

async function listRefs(directory: string, own: string, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await runGit({ arguments: ["for-each-ref", "--format=%(refname)", own], directory, signal });
  return splitOutput(listed);
}

async function listHistory({ directory, commit, depth, contents, signal }: Fetching, tip: string): Promise<History> {
  // Parents of commits at the border of a shallow clone are not here, so what those commits changed is unknown.
  const border = new Set(splitOutput(await readFile(join(directory, "shallow")).catch(() => Buffer.of())));
  const walk = (from: string) =>
    runGit({
      arguments: ["rev-list", "--date-order", `--max-count=${depth + border.size + 1}`, "--end-of-options", from],
      directory,
      signal,
    });
  const isHere = await exists(directory, commit, signal);
  const listed = splitOutput(await walk(isHere ? commit : tip));
  const known = listed.filter((id) => !border.has(id));
  return { directory, contents, commits: known.slice(0, depth), complete: known.length <= depth && known.length === listed.length };
}

async function exists(directory: string, commit: string, signal: AbortSignal): Promise<boolean> {
  const checked = await runGit({ arguments: ["cat-file", "--batch-check"], directory, signal }, `${commit}\n`);
  return / commit \d+\n$/.test(checked.toString("latin1"));
}

function splitOutput(printed: Buffer): readonly string[] {
  return printed.toString("latin1").split("\n").filter(Boolean);
}
