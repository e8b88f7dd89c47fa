import { embeddedText, textHash } from "#embedding/embedded-text.ts";
import { languageOf } from "#splitting/languages.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { NewFile } from "#store/index/builds.store.ts";
import type { NewDocument } from "./documents.store.ts";
import { skipRead } from "./skip.ts";

/** What a file's content comes to: chunks, or why it has none. */
export async function readFile(file: NewFile, content: Buffer, splitter: Splitter): Promise<NewDocument> {
  const { path } = file;
  const language = languageOf(path, content);
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
