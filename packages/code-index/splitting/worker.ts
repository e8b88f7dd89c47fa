import { parentPort } from "node:worker_threads";
import { grammarOf } from "./grammars.ts";
import { splitFile, type SplitFile } from "./split-file.ts";

/** A file to split. A thread is given the next when it has answered. */
export type SplitRequest = { readonly content: Uint8Array; readonly language: string };
export type SplitAnswer = { readonly file: SplitFile };

parentPort?.on("message", (request: SplitRequest) => void answer(request));

/** A failure ends the thread, and the splitter goes on without it. */
async function answer({ content, language }: SplitRequest): Promise<void> {
  const grammar = await grammarOf(language);
  const file = splitFile(Buffer.from(content.buffer, content.byteOffset, content.byteLength), language, grammar);
  parentPort?.postMessage({ file } satisfies SplitAnswer);
}
