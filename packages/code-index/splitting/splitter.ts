import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { compileRuntime } from "./parser-runtime.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import type { SplitAnswer, SplitRequest, SplitStart } from "./worker.ts";

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
/** Many times what parsing may take, also where a thread gets little of a core; then it hangs. */
const FILE_MS = 120_000;

/** Files given to a thread before it has answered: it never waits for the main thread, which has other work. */
const AHEAD = 4;

type Task = { readonly content: Buffer; readonly language: string; readonly done: (file: SplitFile) => void };

/** It works on its tasks in order; the first is the one to blame. */
type Thread = { readonly worker: Worker; readonly tasks: Task[]; timer: NodeJS.Timeout | undefined };

/**
 * A pool of our own: in tinypool 2 a thread that exits leaves its task unanswered and the pool unable to end, and the time
 * that a file waits counts as time it takes.
 */
export function createSplitter({ log, worker = WORKER, fileMs = FILE_MS, threads = defaultThreads() }: SplitterOptions): Splitter {
  const waiting: Task[] = [];
  const alive = new Set<Thread>();
  let closed = false;

  function next(): void {
    for (let thread = freest(); thread !== undefined; thread = freest()) {
      const task = waiting.shift();
      if (closed || task === undefined) {
        return;
      }
      give(thread, task);
    }
  }

  /** The thread with the fewest tasks, a new one while there may be more; `undefined` while all have enough. */
  function freest(): Thread | undefined {
    if (waiting.length === 0) {
      return undefined;
    }
    const [thread] = [...alive].toSorted((one, other) => one.tasks.length - other.tasks.length);
    if (alive.size < threads && thread?.tasks.length !== 0) {
      return start();
    }
    return thread !== undefined && thread.tasks.length < AHEAD ? thread : undefined;
  }

  function start(): Thread {
    const workerData: SplitStart = { runtime: compileRuntime() };
    const thread: Thread = { worker: new Worker(worker, { workerData }), tasks: [], timer: undefined };
    alive.add(thread);
    thread.worker.on("message", ({ file }: SplitAnswer) => {
      const task = thread.tasks.shift();
      watch(thread);
      task?.done(file);
      next();
    });
    thread.worker.on("error", (error) => lose(thread, messageOf(error)));
    thread.worker.on("exit", (code) => lose(thread, `its thread ended with ${code}`));
    return thread;
  }

  function give(thread: Thread, task: Task): void {
    thread.tasks.push(task);
    if (thread.tasks.length === 1) {
      watch(thread);
    }
    // A message with a part of a buffer would carry all of it.
    const content = new Uint8Array(task.content);
    thread.worker.postMessage({ content, language: task.language } satisfies SplitRequest, [content.buffer]);
  }

  /** Times the first of its tasks. A thread without any keeps no process alive. */
  function watch(thread: Thread): void {
    clearTimeout(thread.timer);
    if (thread.tasks.length === 0) {
      thread.worker.unref();
      return;
    }
    thread.worker.ref();
    thread.timer = setTimeout(() => lose(thread, `it took more than ${fileMs / 1000} s`), fileMs);
  }

  function lose(thread: Thread, reason: string): void {
    if (!alive.delete(thread)) {
      return;
    }
    const [blamed, ...others] = thread.tasks.splice(0);
    watch(thread);
    void thread.worker.terminate();
    waiting.unshift(...others);
    if (blamed !== undefined) {
      const { content, language } = blamed;
      log.warn({ reason, language, bytes: content.length }, "a file could not be parsed and is split by lines");
      blamed.done(splitFile(content, language, undefined));
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
        thread.tasks.length = 0;
        watch(thread);
      }
      await Promise.all(ending.map(({ worker: own }) => own.terminate()));
    },
  };
}

/** As many as there are cores: the rest of the indexer is a third of the work, and waits for the database often enough. */
function defaultThreads(): number {
  return Math.min(availableParallelism(), MAX_THREADS);
}
