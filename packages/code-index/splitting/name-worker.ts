import { parentPort, workerData } from "node:worker_threads";
import { createGrammars } from "./grammars.ts";
import { findNameUses, usesOfKind, type NameUse } from "./name-lines.ts";
import type { ThreadStart } from "./parser-threads.ts";

export type NameRequest = { readonly text: string; readonly language: string; readonly name: string; readonly isDefined: boolean };
export type NameAnswer = { readonly uses: readonly NameUse[] };

const { runtime } = workerData as ThreadStart;
const grammarOf = createGrammars(runtime);
/** This file is what a thread runs, so its state is the thread's own. */
let last = Promise.resolve();

/** One after the other, in the order asked for. A failure ends the thread, and its pool goes on without it. */
parentPort?.on("message", (request: NameRequest) => {
  last = last.then(() => answer(request));
});

async function answer({ text, language, name, isDefined }: NameRequest): Promise<void> {
  const grammar = await grammarOf(language);
  const uses = grammar === undefined ? usesOfKind(text, name, "text") : findNameUses(text, { name, isDefined }, grammar);
  parentPort?.postMessage({ uses } satisfies NameAnswer);
}
