import { MAX_CHANGED_FILES } from "#contract.ts";
import type { History } from "./history.ts";
import { startGit } from "./git.ts";
import { logCommits } from "./log-commits.ts";
import { SourceError } from "./source-error.ts";
import { createReader, type StreamReader } from "./stream-reader.ts";
import { treeEntryPath } from "./tree-entry.ts";

/** What a commit did to a file, compared with its first parent. */
export type FileChange = {
  /** The file's name; the last one of a file that was deleted. */
  readonly path: string;
  /** The name before, where the file was moved. */
  readonly oldPath: string | null;
  readonly status: "added" | "deleted" | "modified" | "renamed";
  /** git's id of the content; null when there is none any more. */
  readonly blob: string | null;
  readonly added: number;
  readonly deleted: number;
  /** The hunks, as `git diff` writes them; nothing where no line changed. */
  readonly patch: Buffer;
  /** Why the hunks are not here. */
  readonly leftOut: string | null;
};

export type CommitChanges = { readonly commit: string; readonly changes: readonly FileChange[]; readonly total: number };

/** Bytes of the hunks of a file, and of all of a commit together. What is beyond is left out, and that is said. */
const MAX_FILE_BYTES = 256 * 1_024;
const MAX_COMMIT_BYTES = 1_024 * 1_024;

type Rules = {
  /** Why the hunks of a path are not to be kept. */
  readonly leftOut: (path: string) => string | undefined;
  /** Which files are read, by either name; all when left out. */
  readonly isAsked?: (path: string) => boolean;
};

type Reading = Rules & { readonly signal: AbortSignal };

/** Reads what commits of a history changed, in the order asked for. */
export function readChanges(
  history: Pick<History, "directory">,
  commits: readonly string[],
  { signal, ...rules }: Reading,
): AsyncGenerator<CommitChanges, void, undefined> {
  return logCommits(history, commits, {
    format: "%x01%H",
    options: ["-m", "--first-parent", "--raw", "--no-abbrev", "--patch", "--find-renames", "--no-ext-diff", "--no-textconv"],
    parse: (printed) => parseChanges(createReader(printed), rules),
    signal,
  });
}

/** The differences between two commits. */
export async function readDifference(
  { directory }: Pick<History, "directory">,
  { base, head }: { readonly base: string; readonly head: string },
  { signal, ...rules }: Reading,
): Promise<CommitChanges> {
  const told = ["--raw", "--no-abbrev", "--patch", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const { child, ended, stop } = startGit({
    arguments: ["diff-tree", "-r", "-z", ...told, "--end-of-options", base, head],
    directory,
    signal,
  });
  child.stdin.end();
  try {
    const reader = createReader(child.stdout);
    const changes = await readCommitChanges(reader, head, { ...rules, entries: await readEntries(reader) });
    await ended;
    return changes;
  } finally {
    stop();
  }
}

async function* parseChanges(reader: StreamReader, rules: Rules): AsyncGenerator<CommitChanges, void, undefined> {
  for (let begin = await reader.until(0); begin !== undefined; begin = await reader.until(0)) {
    const isEmpty = (await reader.peek(1)).toString("latin1") !== "\n";
    const entries = isEmpty ? [] : (await reader.take(1), await readEntries(reader));
    yield await readCommitChanges(reader, begin.toString("latin1", 1), { ...rules, entries });
  }
}

async function readCommitChanges(
  reader: StreamReader,
  commit: string,
  { entries, leftOut, isAsked = () => true }: Rules & { readonly entries: readonly Entry[] },
): Promise<CommitChanges> {
  const changes: FileChange[] = [];
  let left = MAX_COMMIT_BYTES;
  for (const entry of entries) {
    if (!isAsked(entry.path) && !(entry.oldPath !== null && isAsked(entry.oldPath))) {
      await readHunks(reader, 0);
      await (entry.becomesAnother ? readHunks(reader, 0) : undefined);
      continue;
    }
    const reason = leftOut(entry.path) ?? (entry.oldPath === null ? undefined : leftOut(entry.oldPath));
    const max = reason !== undefined || changes.length >= MAX_CHANGED_FILES ? 0 : Math.min(MAX_FILE_BYTES, left);
    const hunks = await readHunks(reader, max);
    // git shows a file that becomes a link as one that goes and one that comes.
    const second = entry.becomesAnother ? await readHunks(reader, 0) : undefined;
    left -= hunks.patch.length;
    if (changes.length < MAX_CHANGED_FILES) {
      const { becomesAnother, ...change } = entry;
      const isLarge = hunks.patch.length === 0 && hunks.added + hunks.deleted > 0;
      changes.push({
        ...change,
        added: hunks.added + (second?.added ?? 0),
        deleted: hunks.deleted + (second?.deleted ?? 0),
        patch: becomesAnother ? Buffer.of() : hunks.patch,
        leftOut:
          reason ??
          (becomesAnother
            ? "it became another kind of file"
            : hunks.isBinary
              ? "binary, or larger than 1 MiB"
              : isLarge
                ? "too large"
                : null),
      });
    }
  }
  return { commit, changes, total: entries.length };
}

type Entry = Pick<FileChange, "path" | "oldPath" | "status" | "blob"> & { readonly becomesAnother: boolean };

const STATUSES = { A: "added", D: "deleted", M: "modified", T: "modified", R: "renamed" } as const;

/** `:<mode> <mode> <blob> <blob> <status>`, then one name or two, each with a NUL; and one more NUL at the end. */
async function readEntries(reader: StreamReader): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let meta = await reader.until(0); meta !== undefined && meta.length > 0; meta = await reader.until(0)) {
    const [, , , blob = "", letters = ""] = meta.toString("latin1").split(" ");
    const status = Object.entries(STATUSES).find(([letter]) => letters.startsWith(letter))?.[1];
    const first = await reader.until(0);
    const second = status === "renamed" ? await reader.until(0) : first;
    if (status === undefined || first === undefined || second === undefined) {
      throw new SourceError(`git log printed an unknown line: ${meta.toString("latin1")}`, { transient: false });
    }
    entries.push({
      path: treeEntryPath(second),
      oldPath: status === "renamed" ? treeEntryPath(first) : null,
      status,
      blob: status === "deleted" ? null : blob,
      becomesAnother: letters.startsWith("T"),
    });
  }
  return entries;
}

type Hunks = { readonly patch: Buffer; readonly added: number; readonly deleted: number; readonly isBinary: boolean };

const LINE_END = Buffer.from("\n");

/** The hunks of the next file, unless they have more bytes than `max`. Their own counts say where they end, whatever their lines hold. */
async function readHunks(reader: StreamReader, max: number): Promise<Hunks> {
  await reader.until(10);
  let isBinary = false;
  const kept: Buffer[] = [];
  let length = 0;
  const keep = (line: Buffer) => {
    length += line.length + 1;
    if (length <= max) {
      kept.push(Buffer.from(line), LINE_END);
    }
  };
  let [added, deleted] = [0, 0];
  for (let begin = await peekLine(reader); begin !== undefined; begin = await peekLine(reader)) {
    const line = (await reader.until(10)) ?? Buffer.of();
    if (begin !== "@@ ") {
      isBinary ||= begin === "Bin";
      continue;
    }
    keep(line);
    const [, oldLines = "1", newLines = "1"] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line.toString("latin1")) ?? [];
    let [before, after] = [Number(oldLines), Number(newLines)];
    while (before > 0 || after > 0 || (await reader.peek(1))[0] === BACKSLASH) {
      const next = await reader.until(10);
      if (next === undefined) {
        throw new SourceError("git log ended within a hunk.", { transient: true });
      }
      keep(next);
      const sign = next[0];
      before -= sign === SPACE || sign === MINUS ? 1 : 0;
      after -= sign === SPACE || sign === PLUS ? 1 : 0;
      added += sign === PLUS ? 1 : 0;
      deleted += sign === MINUS ? 1 : 0;
    }
  }
  return { patch: length > max ? Buffer.of() : Buffer.concat(kept), added, deleted, isBinary };
}

const [SPACE, PLUS, MINUS, BACKSLASH] = [32, 43, 45, 92];

/** The beginning of the next line of the same file's patch. */
async function peekLine(reader: StreamReader): Promise<string | undefined> {
  const begin = (await reader.peek(3)).toString("latin1");
  return begin === "" || begin.startsWith("\u0001") || begin === "dif" ? undefined : begin;
}
