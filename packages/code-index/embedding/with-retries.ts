import { setTimeout as delay } from "node:timers/promises";
import { EmbedderError } from "./embedder-error.ts";
import { NoAnswerError } from "./post-json.ts";

type Retrying = { readonly baseMs: number; readonly signal: AbortSignal };

const TRIES = 3;
/** Who is asked to wait longer lets its caller decide. */
const LONGEST_MS = 20_000;

/** Tries again what may go better, after a growing pause with jitter, or after the one that the provider asked for. */
export async function withRetries<Result>(work: () => Promise<Result>, { baseMs, signal }: Retrying): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EmbedderError) || error instanceof NoAnswerError || !error.transient || tried === TRIES) {
        throw error;
      }
      const pauseMs = Math.max(error.retryAfterMs ?? 0, baseMs * 4 ** (tried - 1)) * (1 + Math.random() / 2);
      if (pauseMs > LONGEST_MS) {
        throw error;
      }
      await delay(pauseMs, undefined, { signal });
    }
  }
}
