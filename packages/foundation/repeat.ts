import { LATE, within } from "./deadline.ts";
import { errorMessage } from "./errors.ts";
import type { Logger } from "./log.ts";

export type RepeatedTask = {
  /** What it does, for the log: `counting hours`. */
  readonly name: string;
  /** Between the end of a run and the beginning of the next. */
  readonly everyMs: number;
  /** One run; `true` when more waits, which is then done at once, `false` when there was nothing. Ends soon when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  /** The longest pause where there is nothing to do: pauses double up to it while runs find nothing. */
  readonly restMs?: number | (() => number);
  /** What ends its rest, though not before `everyMs` are over, and makes the next pauses short again: hints that there may be something to do. */
  readonly wakenBy?: WakenBy;
  /** The part of the time that it may take: the pause after a run grows with what the run took. Without it a pause is `everyMs`. */
  readonly share?: number | (() => number);
  /** Before the first run, which is otherwise at the start. */
  readonly firstInMs?: number;
  /** Logs a failure, before which there were so many in a row, and says how many milliseconds later the next try is; instead of what is usual. */
  readonly onFailure?: (error: unknown, failures: number) => number;
};

/** Takes what wakes a task, and calls it from then on. */
export type WakenBy = (wake: () => void) => void;

export type Alarm = { readonly ring: () => void; readonly wakenBy: WakenBy };

/** Wakes tasks of this process whenever it is rung. */
export function createAlarm(): Alarm {
  const wakers = new Set<() => void>();
  return { ring: () => wakers.forEach((wake) => wake()), wakenBy: (wake) => void wakers.add(wake) };
}

export type Repeated = {
  readonly start: () => void;
  /** Aborts what runs, and waits for its end, though not for ever. */
  readonly stop: () => Promise<void>;
};

/** Why the signal of a run is aborted. */
export class StoppingError extends Error {
  override readonly name = "StoppingError";

  constructor() {
    super("stopping");
  }
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

/** What a run is given to end; less than a process has to drain. */
const STOP_MS = 7_000;

/**
 * Does each of the tasks again and again in the background, all beside each other. A run that fails is tried again after a
 * second, then after twice as long, up to its period or 15 seconds, whichever is longer; a failure is logged when it differs
 * from the one before. Replicas run beside each other: a run takes what no other one has taken.
 *
 * @example
 * const background = repeat({ log, tasks: [{ name: "deleting old jobs", everyMs: 3_600_000, run: (signal) => deleteSome(database, signal) }] });
 */
export function repeat({ log, tasks }: { readonly log: Logger; readonly tasks: readonly RepeatedTask[] }): Repeated {
  const stopping = new AbortController();
  let running: readonly Promise<void>[] = [];

  return {
    start: () => {
      running = tasks.map((task) => runOnAndOn(task, log, stopping.signal));
    },
    stop: async () => {
      stopping.abort(new StoppingError());
      await Promise.all(
        running.map(async (ended, index) => {
          if ((await within(() => ended, STOP_MS)) === LATE) {
            log.warn({ loop: tasks[index]?.name }, "what runs in the background did not end in time");
          }
        }),
      );
    },
  };
}

/** One run of rounds, until one of them finds nothing; `false` when the first did not find anything either. */
export async function inRounds(round: () => Promise<boolean>, signal: AbortSignal): Promise<false | undefined> {
  let found: false | undefined = false;
  while (!signal.aborted && (await round())) {
    found = undefined;
  }
  return found;
}

async function runOnAndOn(task: RepeatedTask, log: Logger, signal: AbortSignal): Promise<void> {
  const { everyMs, restMs = everyMs, run, share, firstInMs, wakenBy, onFailure = failureReport(task, log) } = task;
  const longestMs = typeof restMs === "number" ? () => restMs : restMs;
  let failures = 0;
  let idleMs = everyMs;
  let isWoken = false;
  let shorten: () => void = () => undefined;
  wakenBy?.(() => {
    isWoken = true;
    shorten();
  });
  if (firstInMs !== undefined) {
    await pause(firstInMs, firstInMs, signal).ended;
  }
  while (!signal.aborted) {
    const startedAt = performance.now();
    let waitMs = everyMs;
    let leastMs = everyMs;
    isWoken = false;
    try {
      const found = await run(signal);
      waitMs = found === true ? 0 : found === false ? Math.min(idleMs, longestMs()) : everyMs;
      leastMs = Math.min(everyMs, waitMs);
      idleMs = found === false ? idleMs * 2 : everyMs;
      failures = 0;
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      waitMs = onFailure(error, failures);
      // What does not work is not tried sooner for being asked for.
      leastMs = waitMs;
      failures += 1;
    }
    const shareMs = share === undefined ? 0 : (performance.now() - startedAt) / (typeof share === "number" ? share : share());
    const paused = pause(Math.max(waitMs, shareMs), Math.max(leastMs, shareMs), signal);
    shorten = paused.shorten;
    if (isWoken) {
      shorten();
    }
    await paused.ended;
    if (isWoken) {
      idleMs = everyMs;
    }
  }
}

function failureReport({ name, everyMs }: RepeatedTask, log: Logger): (error: unknown, failures: number) => number {
  let reason: string | undefined;
  return (error, failures) => {
    const retryInMs = Math.min(FIRST_RETRY_MS * 2 ** failures, Math.max(everyMs, LAST_RETRY_MS));
    if (failures === 0 || errorMessage(error) !== reason) {
      reason = errorMessage(error);
      log.warn({ err: error, loop: name, retryInMs }, `${name} failed, trying again`);
    }
    // Not all replicas at once.
    return retryInMs * (1 + Math.random() / 4);
  };
}

/** Ends early when the signal is aborted; once it is shortened, after `leastMs`. */
function pause(
  milliseconds: number,
  leastMs: number,
  signal: AbortSignal,
): { readonly ended: Promise<void>; readonly shorten: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) {
    resolve();
    return { ended: promise, shorten: () => undefined };
  }
  const startedAt = performance.now();
  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  };
  // The global timer, so that a test can move its clock.
  let timer = setTimeout(end, milliseconds);
  signal.addEventListener("abort", end);
  let isShort = false;
  const shorten = (): void => {
    if (!isShort && !signal.aborted) {
      isShort = true;
      clearTimeout(timer);
      timer = setTimeout(end, Math.max(startedAt + leastMs - performance.now(), 0));
    }
  };
  return { ended: promise, shorten };
}
