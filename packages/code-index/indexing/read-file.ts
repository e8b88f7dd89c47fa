import type { TreeEntry } from "#source/blobs.ts";
import type { NewFile } from "#store/builds.store.ts";
import { languageOf } from "#splitting/languages.ts";
import type { Splitter } from "#splitting/splitter.ts";
import { skipRead } from "./skip.ts";
import type { UnnumberedChunk } from "./write-build.ts";

type ReadFile = { readonly file: NewFile; readonly chunks: readonly UnnumberedChunk[] };

/** A file's rows: its chunks, or why it has none. */
export async function readFile(entry: TreeEntry, content: Buffer, splitter: Splitter): Promise<ReadFile> {
  const skipReason = skipRead(content);
  if (skipReason !== undefined) {
    return skippedFile(entry, skipReason);
  }
  const { path } = entry;
  const language = languageOf(path, content);
  const split = await splitter.split(content, language);
  const chunks = split.chunks.map((chunk) => ({ ...chunk, path, language }));
  return { file: { ...rowOf(entry), language, lines: chunks.at(-1)?.end_line ?? 0, skip_reason: null }, chunks };
}

export function skippedFile(entry: TreeEntry, reason: string): ReadFile {
  return { file: { ...rowOf(entry), language: languageOf(entry.path), lines: 0, skip_reason: reason }, chunks: [] };
}

function rowOf({ path, blob, bytes }: TreeEntry) {
  return { path, blob, bytes };
}
