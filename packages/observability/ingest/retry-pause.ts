import { setTimeout as delay } from "node:timers/promises";

type Pauses = { readonly firstRetryMs: number; readonly lastRetryMs: number };

/** Waits with pauses that double, give or take a quarter, so that replicas don't return in step. */
export function createRetryPause({ firstRetryMs, lastRetryMs }: Pauses, signal: AbortSignal) {
  let next = firstRetryMs;
  return {
    reset: (): void => {
      next = firstRetryMs;
    },
    wait: async (): Promise<void> => {
      const milliseconds = next * (0.75 + Math.random() / 2);
      next = Math.min(next * 2, lastRetryMs);
      // The pause ends when the consumer stops.
      await delay(milliseconds, undefined, { signal }).catch(() => undefined);
    },
  };
}
