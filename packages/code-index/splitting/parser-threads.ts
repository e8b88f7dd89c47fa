import { Worker } from "node:worker_threads";
import { errorMessage } from "@sightline/foundation/errors";
import { compileRuntime } from "./parser-runtime.ts";

/** What a thread is started with: the compiled parser. */
export type ThreadStart = { readonly runtime: WebAssembly.Module };

/** Threads that parse files off the main thread. */
export type ParserThreads<Request, Answer> = {
  readonly run: (request: Request) => Promise<Answer>;
  /** Ends the threads. What they work on is not answered any more. */
  readonly close: () => Promise<void>;
};

type Options<Request, Answer> = {
  /** What a thread runs: it answers one message after the other, in the order asked. */
  readonly worker: URL;
  readonly threads: number;
  /** Many times what a file may take, also where a thread gets little of a core; then it hangs. */
  readonly fileMs: number;
  /** After so long without a file a thread ends: it keeps the memory of the largest that it had, often more than 100 MB. */
  readonly idleMs?: number;
  /** A message, and what of it is handed over instead of copied. */
  readonly pack: (request: Request) => readonly [message: unknown, handedOver: ArrayBuffer[]];
  /** The answer to a request that its thread died of, or hung on. */
  readonly lost: (request: Request, reason: string) => Answer;
};

const IDLE_MS = 300_000;

/** Requests given to a thread before it has answered: it never waits for the main thread, which has other work. */
const AHEAD = 4;

type Task<Request, Answer> = { readonly request: Request; readonly done: (answer: Answer) => void };

/** It works on its tasks in order; the first is the one to blame. */
type Thread<Request, Answer> = { readonly worker: Worker; readonly tasks: Task<Request, Answer>[]; timer: NodeJS.Timeout | undefined };

/**
 * A pool of our own: in tinypool 2 a thread that exits leaves its task unanswered and the pool unable to end, and the time
 * that a file waits counts as time it takes.
 */
export function createParserThreads<Request, Answer>(options: Options<Request, Answer>): ParserThreads<Request, Answer> {
  const { worker, threads, fileMs, idleMs = IDLE_MS, pack, lost } = options;
  const waiting: Task<Request, Answer>[] = [];
  const alive = new Set<Thread<Request, Answer>>();
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
  function freest(): Thread<Request, Answer> | undefined {
    if (waiting.length === 0) {
      return undefined;
    }
    const [thread] = [...alive].toSorted((one, other) => one.tasks.length - other.tasks.length);
    if (alive.size < threads && thread?.tasks.length !== 0) {
      return start();
    }
    return thread !== undefined && thread.tasks.length < AHEAD ? thread : undefined;
  }

  function start(): Thread<Request, Answer> {
    const workerData: ThreadStart = { runtime: compileRuntime() };
    const thread: Thread<Request, Answer> = { worker: new Worker(worker, { workerData }), tasks: [], timer: undefined };
    alive.add(thread);
    thread.worker.on("message", (answer: Answer) => {
      const task = thread.tasks.shift();
      watch(thread);
      task?.done(answer);
      next();
    });
    thread.worker.on("error", (error) => lose(thread, errorMessage(error)));
    thread.worker.on("exit", (code) => lose(thread, `its thread ended with ${code}`));
    return thread;
  }

  function give(thread: Thread<Request, Answer>, task: Task<Request, Answer>): void {
    thread.tasks.push(task);
    if (thread.tasks.length === 1) {
      watch(thread);
    }
    const [message, handedOver] = pack(task.request);
    thread.worker.postMessage(message, handedOver);
  }

  /** Times the first of its tasks. A thread without any keeps no process alive, and ends after a while. */
  function watch(thread: Thread<Request, Answer>): void {
    clearTimeout(thread.timer);
    if (thread.tasks.length === 0) {
      thread.worker.unref();
      thread.timer = setTimeout(() => lose(thread, "it had nothing to do"), idleMs).unref();
      return;
    }
    thread.worker.ref();
    thread.timer = setTimeout(() => lose(thread, `it took more than ${fileMs / 1000} s`), fileMs);
  }

  function lose(thread: Thread<Request, Answer>, reason: string): void {
    if (!alive.delete(thread)) {
      return;
    }
    clearTimeout(thread.timer);
    const [blamed, ...others] = thread.tasks.splice(0);
    void thread.worker.terminate();
    waiting.unshift(...others);
    if (blamed !== undefined) {
      blamed.done(lost(blamed.request, reason));
    }
    next();
  }

  return {
    run: (request) =>
      new Promise((done) => {
        waiting.push({ request, done });
        next();
      }),
    close: async () => {
      closed = true;
      const ending = [...alive];
      alive.clear();
      for (const thread of ending) {
        thread.tasks.length = 0;
        clearTimeout(thread.timer);
      }
      await Promise.all(ending.map(({ worker: own }) => own.terminate()));
    },
  };
}
