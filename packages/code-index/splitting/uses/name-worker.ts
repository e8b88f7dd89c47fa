import { parentPort, workerData } from "node:worker_threads";
import { createGrammars } from "#splitting/grammars.ts";
import { findNameUses, usesOfKind, type NameUse } from "#splitting/name-lines.ts";
import type { ThreadStart } from "#splitting/parser-threads.ts";
import { answerUse, type UseAnswer, type UseQuestion } from "./answer-use.ts";

export type NameRequest = { readonly text: string; readonly language: string; readonly name: string; readonly isDefined: boolean };
export type UseRequest = { readonly text: string; readonly language: string; readonly question: UseQuestion };
export type NameAnswer = { readonly uses: readonly NameUse[]; readonly explained: UseAnswer };

const { runtime } = workerData as ThreadStart;
const grammarOf = createGrammars(runtime);
/** This file is what a thread runs, so its state is the thread's own. */
let last = Promise.resolve();

/** One after the other, in the order asked for. A failure ends the thread, and its pool goes on without it. */
parentPort?.on("message", (request: NameRequest | UseRequest) => {
  last = last.then(() => answer(request));
});

async function answer(request: NameRequest | UseRequest): Promise<void> {
  const { text, language } = request;
  const grammar = await grammarOf(language);
  if ("question" in request) {
    const explained = grammar === undefined ? {} : answerUse(text, language, request.question, grammar);
    parentPort?.postMessage({ uses: [], explained } satisfies NameAnswer);
    return;
  }
  const { name, isDefined } = request;
  const uses = grammar === undefined ? usesOfKind(text, name, "text") : findNameUses(text, { name, isDefined }, grammar);
  parentPort?.postMessage({ uses, explained: {} } satisfies NameAnswer);
}
