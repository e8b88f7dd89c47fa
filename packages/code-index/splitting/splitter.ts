import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
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
const MOST_THREADS = 8;
/** Several times what parsing may take; then the thread hangs. */
const FILE_MS = 20_000;

type Task = SplitRequest & { readonly done: (file: SplitFile) => void };

type Thread = { readonly worker: Worker; task: Task | undefined; timer: NodeJS.Timeout | undefined };

/**
 * A pool of our own: in tinypool 2 a thread that exits leaves its task unanswered and the pool unable to end, and the time
 * that a file waits counts as time it takes.
 */
export function createSplitter({ log, worker = WORKER, fileMs = FILE_MS, threads = defaultThreads() }: SplitterOptions): Splitter {
  const waiting: Task[] = [];
  const alive = new Set<Thread>();
  let closed = false;

  function next(): void {
    const [task] = waiting;
    if (closed || task === undefined) {
      return;
    }
    const idle = [...alive].find((thread) => thread.task === undefined) ?? (alive.size < threads ? start() : undefined);
    if (idle !== undefined) {
      waiting.shift();
      give(idle, task);
    }
  }

  function start(): Thread {
    const thread: Thread = { worker: new Worker(worker), task: undefined, timer: undefined };
    alive.add(thread);
    thread.worker.on("message", ({ file }: SplitAnswer) => {
      const task = take(thread);
      task?.done(file);
      next();
    });
    thread.worker.on("error", (error) => lose(thread, messageOf(error)));
    thread.worker.on("exit", (code) => lose(thread, `its thread ended with ${code}`));
    return thread;
  }

  function give(thread: Thread, task: Task): void {
    thread.task = task;
    thread.timer = setTimeout(() => lose(thread, `it took more than ${fileMs / 1000} s`), fileMs);
    thread.worker.ref();
    const { content, language } = task;
    thread.worker.postMessage({ content, language } satisfies SplitRequest);
  }

  function take(thread: Thread): Task | undefined {
    const { task } = thread;
    clearTimeout(thread.timer);
    thread.task = undefined;
    // An idle thread keeps no process alive.
    thread.worker.unref();
    return task;
  }

  function lose(thread: Thread, reason: string): void {
    if (!alive.delete(thread)) {
      return;
    }
    const task = take(thread);
    void thread.worker.terminate();
    if (task !== undefined) {
      log.warn({ reason, language: task.language, bytes: task.content.byteLength }, "a file could not be parsed and is split by lines");
      task.done(splitFile(Buffer.from(task.content), task.language, undefined));
    }
    next();
  }

  return {
    threads,
    split: (content, language) =>
      new Promise((done) => {
        waiting.push({ content, language, done });
        next();
      }),
    close: async () => {
      closed = true;
      const ending = [...alive];
      alive.clear();
      for (const thread of ending) {
        take(thread);
      }
      await Promise.all(ending.map(({ worker: own }) => own.terminate()));
    },
  };
}

/** One core is left to the rest of the indexer, which feeds them. */
function defaultThreads(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), MOST_THREADS);
}
