import { LATE, within } from "./deadline.ts";
import { messageOf } from "./errors.ts";
import type { Logger } from "./log.ts";

export type RepeatedTask = {
  /** What it does, for the log: `counting hours`. */
  readonly name: string;
  /** Between the end of a run and the beginning of the next. */
  readonly everyMs: number;
  /** One run; `true` when more waits, which is then done at once, `false` when there was nothing. Ends soon when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  /** The longest pause where there is nothing to do: pauses double up to it while runs find nothing. */
  readonly restMs?: number;
  /** The part of the time that it may take: the pause after a run grows with what the run took. Without it a pause is `everyMs`. */
  readonly share?: number;
  /** Before the first run, which is otherwise at the start. */
  readonly firstInMs?: number;
  /** Logs a failure, before which there were so many in a row, and says how many milliseconds later the next try is; instead of what is usual. */
  readonly onFailure?: (error: unknown, failures: number) => number;
};

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
  const { everyMs, restMs = everyMs, run, share, firstInMs, onFailure = failureReport(task, log) } = task;
  let failures = 0;
  let idleMs = everyMs;
  if (firstInMs !== undefined) {
    await pause(firstInMs, signal);
  }
  while (!signal.aborted) {
    const startedAt = performance.now();
    let waitMs = everyMs;
    try {
      const found = await run(signal);
      waitMs = found === true ? 0 : found === false ? idleMs : everyMs;
      idleMs = found === false ? Math.min(idleMs * 2, restMs) : everyMs;
      failures = 0;
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      waitMs = onFailure(error, failures);
      failures += 1;
    }
    await pause(share === undefined ? waitMs : Math.max(waitMs, (performance.now() - startedAt) / share), signal);
  }
}

function failureReport({ name, everyMs }: RepeatedTask, log: Logger): (error: unknown, failures: number) => number {
  let reason: string | undefined;
  return (error, failures) => {
    const retryInMs = Math.min(FIRST_RETRY_MS * 2 ** failures, Math.max(everyMs, LAST_RETRY_MS));
    if (failures === 0 || messageOf(error) !== reason) {
      reason = messageOf(error);
      log.warn({ err: error, loop: name, retryInMs }, `${name} failed, trying again`);
    }
    // Not all replicas at once.
    return retryInMs * (1 + Math.random() / 4);
  };
}

/** Ends early when the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return;
  }
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    // The global timer, so that a test can move its clock.
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
