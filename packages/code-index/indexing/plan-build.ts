import { listTree, type TreeEntry } from "#source/blobs.ts";
import type { Mirror } from "#source/mirror.ts";
import type { NewFile, LiveFile, SkippedFile } from "#store/builds.store.ts";

/** What a job has to do to bring a branch to a commit. */
export type BuildPlan = {
  /** Entries of the commit's tree. */
  readonly entries: number;
  /** Files to be searchable, and those that the repository's rules leave out: all of the tree, or those that changed. */
  readonly files: readonly NewFile[];
  readonly skipped: readonly SkippedFile[];
  /** Paths that are no more. */
  readonly removed: readonly string[];
};

type Planning = {
  readonly mirror: Mirror;
  /** Why a path is left out whatever its content is. */
  readonly skip: (entry: TreeEntry) => string | undefined;
  readonly signal: AbortSignal;
};

export async function planWhole({ mirror, skip, signal }: Planning): Promise<BuildPlan> {
  const entries = await listTree(mirror, { signal });
  const files: NewFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const entry of entries) {
    const { path, blob, bytes } = entry;
    const reason = skip(entry);
    if (reason === undefined) {
      files.push({ path, blob, bytes });
    } else {
      skipped.push({ path, blob, bytes, skip_reason: reason });
    }
  }
  return { entries: entries.length, files, skipped, removed: [] };
}

/** What of a plan for the whole tree differs from the files that searches see. Rules and splitters count as well as contents. */
export function planChanges(whole: BuildPlan, live: readonly LiveFile[], splitter: number): BuildPlan {
  const known = new Map(live.map((file) => [file.path, file]));
  const files = whole.files.filter(({ path, blob }) => {
    const file = known.get(path);
    known.delete(path);
    return file?.blob !== blob || file.splitter !== splitter;
  });
  const skipped = whole.skipped.filter(({ path, blob, skip_reason: reason }) => {
    const file = known.get(path);
    known.delete(path);
    return file?.blob !== blob || file.skip_reason !== reason;
  });
  return { entries: whole.entries, files, skipped, removed: [...known.keys()] };
}
