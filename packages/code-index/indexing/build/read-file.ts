import { embeddedText, textHash } from "#embedding/embedded-text.ts";
import { readBlobs } from "#git/blobs.ts";
import type { Mirror } from "#git/mirror.ts";
import { detectLanguage } from "#splitting/languages.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { NewFile } from "#store/index/builds.store.ts";
import type { NewDocument } from "./documents.store.ts";
import { inOrder } from "./in-order.ts";
import { skipRead } from "./skip.ts";

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
async function readFile(file: NewFile, content: Buffer, splitter: Splitter): Promise<NewDocument> {
  const { path } = file;
  const language = detectLanguage(path, content);
  const skipReason = skipRead(content);
  if (skipReason !== undefined) {
    return { ...file, language, lines: 0, skip_reason: skipReason, chunks: [], definitions: [], references: [] };
  }
  const { chunks, definitions, references } = await splitter.split(content, language);
  return {
    ...file,
    language,
    lines: chunks.at(-1)?.end_line ?? 0,
    skip_reason: null,
    chunks: chunks.map((chunk) => ({ ...chunk, text_hash: textHash(embeddedText({ path, ...chunk })) })),
    definitions,
    references,
  };
}
