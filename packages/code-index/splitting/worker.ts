import { parentPort, workerData } from "node:worker_threads";
import { createGrammars } from "./grammars.ts";
import type { ThreadStart } from "./parser-threads.ts";
import { splitFile, type SplitFile } from "./split-file.ts";

export type SplitRequest = { readonly content: Uint8Array; readonly language: string };
export type SplitAnswer = { readonly file: SplitFile };

const { runtime } = workerData as ThreadStart;
const grammarOf = createGrammars(runtime);
/** This file is what a thread runs, so its state is the thread's own. */
let last = Promise.resolve();

/** One after the other, in the order asked for. A failure ends the thread, and the splitter goes on without it. */
parentPort?.on("message", (request: SplitRequest) => {
  last = last.then(() => answer(request));
});

async function answer({ content, language }: SplitRequest): Promise<void> {
  const file = splitFile(Buffer.from(content.buffer), language, await grammarOf(language));
  parentPort?.postMessage({ file } satisfies SplitAnswer);
}
