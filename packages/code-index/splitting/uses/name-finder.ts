import type { Logger } from "@sightline/foundation/log";
import { findLanguage } from "#splitting/languages.ts";
import { usesOfKind, wholeWord, type NameUse } from "#splitting/name-lines.ts";
import type { NameAnswer, NameRequest, UseRequest } from "./name-worker.ts";
import { createParserThreads } from "#splitting/parser-threads.ts";
import type { UseAnswer } from "./answer-use.ts";

/** Finds the places of a file that have a name and what each does with it, off the main thread. */
export type NameFinder = {
  readonly find: (request: NameRequest) => Promise<readonly NameUse[]>;
  /** What a use or a definition is, as far as its file's syntax tells; empty where there is no grammar. */
  readonly explain: (request: UseRequest) => Promise<UseAnswer>;
  /** Ends the threads. What is being looked at is not answered any more. */
  readonly close: () => Promise<void>;
};

const WORKER = new URL("./name-worker.ts", import.meta.url);
/** Somebody waits, and searches need the cores, too. */
const THREADS = 2;
const FILE_MS = 10_000;

/** Its threads are started when they are first needed. */
export function createNameFinder({ log }: { readonly log: Logger }): NameFinder {
  const pool = createParserThreads<NameRequest | UseRequest, NameAnswer>({
    worker: WORKER,
    threads: THREADS,
    fileMs: FILE_MS,
    pack: (request) => [request, []],
    lost: (request, reason) => {
      const { text, language } = request;
      log.warn({ reason, language, characters: text.length }, "a file could not be parsed; its uses of a name count as reads");
      return { uses: "question" in request ? [] : usesOfKind(text, request.name, "read"), explained: {} };
    },
  });
  return {
    find: async (request) => {
      const { text, name, language } = request;
      // Files that hold the name in a longer one alone, and those without a grammar, need no parser.
      if (!wholeWord(name).test(text)) {
        return [];
      }
      return findLanguage(language)?.grammar === undefined ? usesOfKind(text, name, "text") : (await pool.run(request)).uses;
    },
    explain: async (request) => (findLanguage(request.language)?.grammar === undefined ? {} : (await pool.run(request)).explained),
    close: pool.close,
  };
}
