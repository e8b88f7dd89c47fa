import { crc32 } from "node:zlib";
import { refusal } from "@sightline/foundation/errors";
import { listTree, readBlobs, type TreeEntry } from "#git/blobs.ts";
import type { Mirror } from "#git/mirror.ts";
import { decode } from "#splitting/decode.ts";
import { SPLITTER_REVISION } from "#splitting/revision.ts";
import type { NewFile, LiveFile, SkippedFile } from "#store/index/builds.store.ts";
import { createIgnore, readAttributes } from "./ignore.ts";
import { skipUnread } from "./skip.ts";

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
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
};

const IGNORE_FILE = ".sightlineignore";
const ATTRIBUTES_FILE = ".gitattributes";
const MAX_IGNORE_FILE_BYTES = 65_536;

export async function planWhole({ mirror, include, exclude, signal }: Planning): Promise<BuildPlan> {
  const entries = await listTree(mirror, { signal });
  const sightlineignore = await readRootFile(mirror, rootFile(entries, IGNORE_FILE), signal);
  const attributesFile = rootFile(entries, ATTRIBUTES_FILE);
  const attributes = readAttributes(isTooLarge(attributesFile) ? "" : ((await readRootFile(mirror, attributesFile, signal)) ?? ""));
  const ignored = createIgnore({ sightlineignore, include, exclude });
  const files: NewFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const entry of entries) {
    const { path, blob, bytes } = entry;
    const reason = skipUnread(entry) ?? ignored(path);
    if (reason === undefined) {
      const declaredEncoding = attributes.encodingOf(path);
      files.push({ path, blob, bytes, declaredEncoding, splitter: splitterFor(attributes.isForeign(path), declaredEncoding) });
    } else {
      skipped.push({ path, blob, bytes, skip_reason: reason });
    }
  }
  return { entries: entries.length, files, skipped, removed: [] };
}

const REVISIONS = 1_000;
const ENCODINGS = 1_000_000;

/** One number for all that decides how a content is split. */
function splitterFor(isForeign: boolean, encoding: string | undefined): number {
  const revision = SPLITTER_REVISION + (encoding === undefined ? 0 : REVISIONS * (1 + (crc32(encoding) % ENCODINGS)));
  return isForeign ? -revision : revision;
}

function rootFile(entries: readonly TreeEntry[], name: string): TreeEntry | undefined {
  return entries.find(({ path, kind }) => path === name && kind === "file");
}

function isTooLarge(entry: TreeEntry | undefined): boolean {
  return (entry?.bytes ?? 0) > MAX_IGNORE_FILE_BYTES;
}

/** @throws {AppError} when it is too large to be one: what it should keep out must not be let in silently. */
async function readRootFile(mirror: Mirror, entry: TreeEntry | undefined, signal: AbortSignal): Promise<string | undefined> {
  if (entry === undefined) {
    return undefined;
  }
  if (isTooLarge(entry)) {
    throw refusal(422, "invalid_pattern", `${entry.path} is larger than 64 KiB. Use fewer patterns.`);
  }
  let text = "";
  for await (const content of readBlobs(mirror, [entry.blob], { signal })) {
    ({ text } = decode(content));
  }
  return text;
}

/** What of a plan for the whole tree differs from the files that searches see. Rules and splitters count as well as contents. */
export function planChanges(whole: BuildPlan, live: readonly LiveFile[]): BuildPlan {
  const known = new Map(live.map((file) => [file.path, file]));
  const files = whole.files.filter(({ path, blob, splitter }) => {
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
