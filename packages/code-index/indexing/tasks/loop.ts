import type { Service } from "@sightline/foundation/lifecycle";
import type { Logger } from "@sightline/foundation/log";
import { BrokenOff } from "./interrupted.ts";

type LoopOptions = {
  /** For the log: `deliveries of webhooks`. */
  readonly name: string;
  /** Between the end of a run and the beginning of the next. */
  readonly everyMs: number;
  /** One run; `true` when more waits, which is then done at once. Ends soon when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
  readonly log: Logger;
};

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

/** What a run is given to end; less than a process has to drain. */
const STOP_MS = 7_000;

/**
 * Does something again and again in the background, the first time at the start. A run that fails is logged and
 * tried again after a second, then after twice as long, up to its period or 15 seconds, whichever is longer.
 * Replicas run beside each other: a run takes what no other one has taken.
 *
 * @example
 * const loop = createLoop({ name: "old jobs", everyMs: 3_600_000, run: (signal) => deleteSome(database, signal), log });
 */
export function createLoop({ name, everyMs, run, log }: LoopOptions): Service {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;

  async function repeat(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let waitMs = everyMs;
      try {
        waitMs = (await run(signal)) ? 0 : everyMs;
        failures = 0;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        waitMs = Math.min(FIRST_RETRY_MS * 2 ** failures, Math.max(everyMs, LAST_RETRY_MS));
        failures += 1;
        log.error({ err: error, loop: name, retryInMs: waitMs }, "what runs in the background failed, trying again");
      }
      await pause(waitMs, signal);
    }
  }

  return {
    name,
    start: async () => {
      running = repeat();
    },
    stop: async () => {
      stopping.abort(new BrokenOff("stopping"));
      const ended = new AbortController();
      const late = pause(STOP_MS, ended.signal).then(() => "late");
      if ((await Promise.race([running, late])) === "late") {
        log.warn({ loop: name }, "what runs in the background did not end in time");
      }
      ended.abort();
    },
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
    function end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
  });
}
