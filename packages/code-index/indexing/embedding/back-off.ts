import { EmbedderError } from "#embedding/embedder-error.ts";

/** Growing pauses between tries. */
export type Backoff = {
  /** Milliseconds to wait after this failure. */
  readonly next: (error: unknown) => number;
  readonly reset: () => void;
};

/** Short enough that nobody needs to be called when a provider recovers. */
const LONGEST_MS = 60_000;
/** What nobody mends, as a wrong key, is looked at less often. */
const PERMANENT_FACTOR = 10;
const LONGEST_ASKED_MS = 15 * 60_000;

export function createBackoff(firstMs: number): Backoff {
  let failures = 0;
  return {
    next: (error) => {
      const permanent = error instanceof EmbedderError && !error.transient;
      const grown = Math.min(firstMs * 2 ** Math.min(failures++, 20) * (permanent ? PERMANENT_FACTOR : 1), LONGEST_MS);
      const asked = error instanceof EmbedderError ? Math.min(error.retryAfterMs ?? 0, LONGEST_ASKED_MS) : 0;
      // Not all processes at once.
      return Math.max(grown, asked) * (1 + Math.random() / 4);
    },
    reset: () => {
      failures = 0;
    },
  };
}
