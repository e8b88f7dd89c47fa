/** Keeps callers away from something that fails, so that only the first of them waits for it. */
export type Circuit = {
  /** `closed`: ask it. `probe`: see whether it works again, but don't wait. `open`: leave it alone. */
  readonly state: () => "closed" | "probe" | "open";
  readonly succeeded: () => void;
  /** True when it was closed until then. */
  readonly failed: () => boolean;
  readonly retryInMs: () => number;
};

export type CircuitOptions = {
  /** After the first failure; it doubles with each probe that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
};

export function createCircuit({ pauseMs, longestPauseMs, now }: CircuitOptions): Circuit {
  let failures = 0;
  let openUntil = 0;
  let probing = false;

  return {
    state: () => {
      if (failures === 0) {
        return "closed";
      }
      if (probing || now() < openUntil) {
        return "open";
      }
      probing = true;
      return "probe";
    },
    succeeded: () => {
      failures = 0;
      probing = false;
    },
    failed: () => {
      const opened = failures === 0;
      // Of many that asked at once, one failure counts.
      if (opened || probing) {
        openUntil = now() + Math.min(pauseMs * 2 ** failures, longestPauseMs);
        failures = Math.min(failures + 1, 20);
      }
      probing = false;
      return opened;
    },
    retryInMs: () => Math.max(0, openUntil - now()),
  };
}
