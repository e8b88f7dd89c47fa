import type { TreeEntry } from "#source/blobs.ts";
import type { NewFile } from "#store/builds.store.ts";
import { languageOf } from "./languages.ts";
import { countLines, skipRead } from "./skip.ts";
import { splitText } from "./split.ts";
import { symbolsOf } from "./symbols.ts";
import type { UnnumberedChunk } from "./write-build.ts";

type ReadFile = { readonly file: NewFile; readonly chunks: readonly UnnumberedChunk[] };

// Bytes that are not UTF-8 become U+FFFD; offsets stay those of the file.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A file's rows: its chunks, or why it has none. */
export function readFile(entry: TreeEntry, content: Buffer): ReadFile {
  const skipReason = skipRead(content);
  if (skipReason !== undefined) {
    return skippedFile(entry, skipReason);
  }
  const { path } = entry;
  const language = languageOf(path);
  const chunks = splitText(content).map((piece) => {
    const text = utf8.decode(content.subarray(piece.startByte, piece.endByte));
    return {
      path,
      language,
      start_line: piece.startLine,
      end_line: piece.endLine,
      start_byte: piece.startByte,
      end_byte: piece.endByte,
      symbols: symbolsOf(text, language),
      content: text,
    };
  });
  return { file: { ...rowOf(entry), language, lines: countLines(content), skip_reason: null }, chunks };
}

export function skippedFile(entry: TreeEntry, reason: string): ReadFile {
  return { file: { ...rowOf(entry), language: languageOf(entry.path), lines: 0, skip_reason: reason }, chunks: [] };
}

function rowOf({ path, blob, bytes }: TreeEntry) {
  return { path, blob, bytes };
}
