import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";

type DutyOptions = {
  readonly everyMs: number;
  /** Of the time that it may take; a twentieth without it. */
  readonly share?: number;
  /** What did not work, for the log. */
  readonly failure: string;
  readonly log: Logger;
  readonly run: () => Promise<void>;
};

/** No duty takes more than this part of the time, unless it says so. */
const SHARE = 1 / 20;

/** Does something now and again until it is stopped. A failure is logged and tried again the next time. */
export function createRepeatedDuty({ everyMs, share = SHARE, failure, log, run }: DutyOptions) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopping = false;

  async function runOnce(): Promise<void> {
    const startedAt = performance.now();
    try {
      await run();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, `${failure}; trying again later`);
    }
    if (!isStopping) {
      timer = setTimeout(start, Math.max(everyMs, (performance.now() - startedAt) / share)).unref();
    }
  }

  function start(): void {
    running = runOnce();
  }

  return {
    start,
    stop: async (): Promise<void> => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
