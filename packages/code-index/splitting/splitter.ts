import { availableParallelism } from "node:os";
import type { Logger } from "@sightline/foundation/log";
import { createParserThreads } from "./parser-threads.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import type { SplitAnswer, SplitRequest } from "./worker.ts";

/** Splits files off the main thread. A file that a parser dies of, or hangs on, is split by lines. */
export type Splitter = {
  /** How many files it works on at once; more wait. */
  readonly threads: number;
  readonly split: (content: Buffer, language: string) => Promise<SplitFile>;
  /** Ends the threads. What is being split is not answered any more. */
  readonly close: () => Promise<void>;
};

type SplitterOptions = { readonly log: Logger; readonly threads?: number; readonly worker?: URL; readonly fileMs?: number };

const WORKER = new URL("./worker.ts", import.meta.url);
const MAX_THREADS = 8;
const FILE_MS = 120_000;

type Task = { readonly content: Buffer; readonly language: string };

export function createSplitter({ log, worker = WORKER, fileMs = FILE_MS, threads = defaultThreads() }: SplitterOptions): Splitter {
  const pool = createParserThreads<Task, SplitAnswer>({
    worker,
    threads,
    fileMs,
    pack: ({ content: whole, language }) => {
      // A message with a part of a buffer would carry all of it.
      const content = new Uint8Array(whole);
      return [{ content, language } satisfies SplitRequest, [content.buffer]];
    },
    lost: ({ content, language }, reason) => {
      log.warn({ reason, language, bytes: content.length }, "a file could not be parsed and is split by lines");
      return { file: splitFile(content, language, undefined) };
    },
  });
  return { threads, split: async (content, language) => (await pool.run({ content, language })).file, close: pool.close };
}

/** As many as there are cores: the rest of the indexer is a third of the work, and waits for the database often enough. */
function defaultThreads(): number {
  return Math.min(availableParallelism(), MAX_THREADS);
}
