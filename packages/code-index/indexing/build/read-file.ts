import { embeddedText, textHash } from "#embedding/embedded-text.ts";
import { readBlobs } from "#git/blobs.ts";
import type { Mirror } from "#git/mirror.ts";
import { detectLanguage } from "#splitting/languages.ts";
import type { SplitChunk } from "#splitting/split-file.ts";
import { toUtf8 } from "#splitting/to-utf8.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { NewFile } from "#store/index/builds.store.ts";
import type { NewDocument } from "./documents.store.ts";
import { inOrder } from "./in-order.ts";
import { isGenerated, isMinified, skipRead } from "./skip.ts";

/** Files that wait for each thread, so that it never waits for whoever takes them. Bounds the memory, too. */
const AHEAD = 8;

type Reading = { readonly mirror: Mirror; readonly splitter: Splitter; readonly signal: AbortSignal };

/** What the contents of files come to, in the order of the files. */
export async function* readFiles(
  files: readonly NewFile[],
  { mirror, splitter, signal }: Reading,
): AsyncGenerator<NewDocument, void, undefined> {
  const blobs = files.map(({ blob }) => blob);
  const read = async (content: Buffer, index: number) => {
    const file = files[index];
    return file === undefined ? undefined : readFile(file, content, splitter);
  };
  for await (const document of inOrder(readBlobs(mirror, blobs, { signal }), splitter.threads * AHEAD, read)) {
    signal.throwIfAborted();
    if (document !== undefined) {
      yield document;
    }
  }
}

/** What a file's content comes to: chunks, or why it has none. */
async function readFile(file: NewFile, written: Buffer, splitter: Splitter): Promise<NewDocument> {
  const { path } = file;
  const { content, encoding, isGuess } = toUtf8(written, file.declaredEncoding);
  const language = detectLanguage(path, content);
  const skipReason = skipRead(content);
  if (skipReason !== undefined) {
    const nothing = { chunks: [], definitions: [], references: [] };
    return { ...file, language, encoding: null, encoding_guessed: false, lines: 0, skip_reason: skipReason, ...nothing };
  }
  const generated = file.splitter < 0 || isGenerated(content);
  const { chunks, definitions, references } = await splitter.split(content, isMinified(content) ? "text" : language);
  const isData = findLongLines(chunks);
  return {
    ...file,
    language,
    encoding,
    encoding_guessed: isGuess,
    lines: chunks.at(-1)?.end_line ?? 0,
    skip_reason: null,
    chunks: chunks.map((chunk) =>
      generated || isData(chunk) ? { ...chunk, text_hash: null } : { ...chunk, text_hash: textHash(embeddedText({ path, ...chunk })) },
    ),
    definitions,
    references,
  };
}

/** Characters of a line. Longer ones are fonts, pictures and programs that were made small: nobody asks for them by their words. */
const MAX_LINE_LENGTH = 5_000;

/** Says which chunks are parts of a line that is too long. */
function findLongLines(chunks: readonly SplitChunk[]): (chunk: SplitChunk) => boolean {
  const lengths = new Map<number, number>();
  for (const { start_line: line, end_line: end, content } of chunks) {
    if (line === end) {
      lengths.set(line, (lengths.get(line) ?? 0) + content.length);
    }
  }
  return ({ start_line: line, end_line: end }) => line === end && (lengths.get(line) ?? 0) > MAX_LINE_LENGTH;
}
