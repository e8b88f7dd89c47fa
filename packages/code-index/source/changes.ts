import { listTree } from "./blobs.ts";
import { runGit } from "./git.ts";
import type { Mirror } from "./mirror.ts";
import { SourceError } from "./source-error.ts";
import { SUBMODULE, treeEntry, type TreeEntry } from "./tree-entry.ts";

/** A path whose content or kind differs between two commits: what it is now, or that it is no more. */
export type ChangedPath = TreeEntry | { readonly path: string; readonly kind: "removed" };

type Between = { readonly from: string; readonly to: string; readonly signal: AbortSignal };

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * What changed between two commits, renames as a removal and an addition. `undefined` when the mirror does not hold
 * `from` wholly (any more): then only the whole tree tells.
 */
export async function changedPaths(mirror: Mirror, { from, to, signal }: Between): Promise<readonly ChangedPath[] | undefined> {
  if (!OBJECT_ID.test(from) || !OBJECT_ID.test(to)) {
    return undefined;
  }
  const git = (given: readonly string[], input?: string) => runGit({ arguments: given, directory: mirror.directory, signal }, input);
  const held = await git(["cat-file", "--batch-check=%(objecttype)"], `${from}\n`);
  if (held.toString("latin1").trim() !== "commit") {
    return undefined;
  }
  // git holds the whole difference in its memory: neither side may have more files than we take.
  await listTree({ ...mirror, commit: to }, { signal });
  const printed = await git(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", from, to]).catch((error: unknown) => {
    if (error instanceof SourceError && /unable to read|bad object|missing|could not read|not a tree/i.test(error.message)) {
      return undefined;
    }
    throw error;
  });
  if (printed === undefined) {
    return undefined;
  }
  const changes = parseChanges(printed);
  const present = changes.filter(({ mode }) => mode !== REMOVED && mode !== SUBMODULE);
  const sizes = await sizesOf(
    present.map(({ blob }) => blob),
    git,
  );
  return withoutRepeats(
    changes.map(({ mode, blob, path }): ChangedPath => {
      const entry = treeEntry({ mode, blob, path, bytes: sizes.get(blob) ?? 0 });
      return mode === REMOVED ? { path: entry.path, kind: "removed" } : entry;
    }),
  );
}

const REMOVED = "000000";

type RawChange = { readonly mode: string; readonly blob: string; readonly path: Buffer };

/** `:<old mode> <new mode> <old id> <new id> <status>\0<path>\0` */
function parseChanges(printed: Buffer): readonly RawChange[] {
  const changes: RawChange[] = [];
  for (let start = 0; start < printed.length;) {
    const middle = printed.indexOf(0, start);
    const end = printed.indexOf(0, middle + 1);
    const [, mode, , blob] = printed.toString("latin1", start, middle).split(" ");
    if (mode === undefined || blob === undefined || end === -1) {
      throw new SourceError("git diff-tree printed what is not known.", { transient: false });
    }
    changes.push({ mode, blob, path: printed.subarray(middle + 1, end) });
    start = end + 1;
  }
  return changes;
}

async function sizesOf(
  blobs: readonly string[],
  git: (given: readonly string[], input: string) => Promise<Buffer>,
): Promise<ReadonlyMap<string, number>> {
  if (blobs.length === 0) {
    return new Map();
  }
  const printed = await git(["cat-file", "--batch-check=%(objectname) %(objectsize)"], blobs.map((blob) => `${blob}\n`).join(""));
  const lines = printed.toString("latin1").trimEnd().split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1)) || 0]));
}

/** Of two names that are written alike, what is there stands for both. */
function withoutRepeats(changes: readonly ChangedPath[]): readonly ChangedPath[] {
  const byPath = new Map<string, ChangedPath>();
  for (const change of changes) {
    const known = byPath.get(change.path);
    if (known === undefined || known.kind === "removed") {
      byPath.set(change.path, change);
    }
  }
  return [...byPath.values()];
}
