import { runGit, startGit } from "./git.ts";
import type { Mirror } from "./mirror.ts";
import { SourceError } from "./source-error.ts";
import { createReader } from "./stream-reader.ts";
import { treeEntry, type TreeEntry } from "./tree-entry.ts";

export type { TreeEntry } from "./tree-entry.ts";

type Reading = { readonly signal: AbortSignal };

const MAX_FILES = 500_000;

/** Every entry below the root of the mirror's commit, in git's order. */
export async function listTree(
  mirror: Mirror,
  { signal, maxFiles = MAX_FILES }: Reading & { readonly maxFiles?: number },
): Promise<readonly TreeEntry[]> {
  const tooMany = (cause?: unknown) =>
    new SourceError(`The repository has too many files; ${maxFiles.toLocaleString("en")} are the most.`, {
      transient: false,
      problem: "too_large",
      cause,
    });
  const printed = await runGit({
    arguments: ["ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", mirror.commit],
    directory: mirror.directory,
    signal,
  }).catch((error: unknown) => {
    // A list that is longer than can be kept is of more files than that, whatever their names.
    throw error instanceof SourceError && error.problem === "too_large" ? tooMany(error) : error;
  });
  const entries: TreeEntry[] = [];
  const seen = new Set<string>();
  for (let start = 0; start < printed.length;) {
    const end = printed.indexOf(0, start);
    const entry = parseEntry(printed.subarray(start, end));
    // Two names that differ only in how a strange byte is written; the first stands for both.
    if (!seen.has(entry.path)) {
      seen.add(entry.path);
      entries.push(entry);
    }
    if (entries.length > maxFiles) {
      throw tooMany();
    }
    start = end + 1;
  }
  return entries;
}

/** `<mode> <type> <id> <size>\t<path>`; the size of what is not a blob is `-`. */
function parseEntry(line: Buffer): TreeEntry {
  const tab = line.indexOf(9);
  const [mode, , blob, size] = line.toString("latin1", 0, tab).split(/ +/);
  if (mode === undefined || blob === undefined) {
    throw new SourceError(`git ls-tree printed an unknown line: ${line.toString("utf8")}`, { transient: false });
  }
  return treeEntry({ mode, blob, path: line.subarray(tab + 1), bytes: Number(size) || 0 });
}

/** The contents of blobs, in the order asked for, through one git process. */
export async function* readBlobs(
  mirror: Pick<Mirror, "directory">,
  blobs: readonly string[],
  { signal }: Reading,
): AsyncGenerator<Buffer, void, undefined> {
  if (blobs.length === 0) {
    return;
  }
  const { child, ended, stop } = startGit({
    arguments: ["cat-file", "--batch"],
    directory: mirror.directory,
    signal,
  });
  try {
    // Node keeps what the pipe can't take yet: 41 bytes for each file.
    child.stdin.end(blobs.map((blob) => `${blob}\n`).join(""));
    const bytes = createReader(child.stdout);
    for (const blob of blobs) {
      const header = await bytes.until(10);
      const [id, type, size] = header?.toString("latin1").split(" ") ?? [];
      const content = type === "blob" ? await bytes.take(Number(size)) : undefined;
      if (header === undefined || (type === "blob" && content === undefined)) {
        await ended;
      }
      // Not waited for here: git goes on to write what nobody reads any more.
      if (id !== blob || content === undefined) {
        throw new SourceError(`git has no content for ${blob}`, { transient: true });
      }
      await bytes.take(1);
      yield content;
    }
    await ended;
  } finally {
    stop();
  }
}
