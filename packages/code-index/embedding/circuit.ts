import { LATE, within } from "@sightline/foundation/deadline";
import { errorMessage } from "@sightline/foundation/errors";

/** `late`: nothing came in time. `probed`: it is being found out whether it works again. `open`: it is left alone for now. */
type Unanswered = "late" | "failed" | "probed" | "open";

type Outcome<Answer> = { readonly answer: Answer; readonly why?: undefined } | { readonly answer?: undefined; readonly why: Unanswered };

/**
 * Keeps searches away from a provider that fails or is slow: after one that it left waiting the next do not wait, and one of them,
 * without waiting either, finds out whether it works again.
 */
export type Circuit = {
  /** Never throws, and never waits longer than the deadline. What fails after the signal was aborted is not held against the provider. */
  readonly ask: <Answer>(work: (signal: AbortSignal) => Promise<Answer>, signal?: AbortSignal) => Promise<Outcome<Answer>>;
  /** How long it is left alone, rounded up. */
  readonly retryInSeconds: () => number;
};

type CircuitOptions = {
  readonly deadlineMs: number;
  /** After the first failure; it doubles with each probe that fails. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** Hears why, each time the provider begins to be left alone. */
  readonly onOpen: (reason: string) => void;
};

export function createCircuit({ deadlineMs, pauseMs, maxPauseMs, onOpen }: CircuitOptions): Circuit {
  let failures = 0;
  let openUntil = 0;
  let probing = false;

  function fail(reason: string): void {
    const opens = failures === 0;
    // Many calls may fail at once; they count as one failure.
    if (opens || probing) {
      openUntil = performance.now() + Math.min(pauseMs * 2 ** failures, maxPauseMs);
      failures = Math.min(failures + 1, 20);
    }
    probing = false;
    if (opens) {
      onOpen(reason);
    }
  }

  async function attempt<Answer>(
    work: (signal: AbortSignal) => Promise<Answer>,
    signal = new AbortController().signal,
  ): Promise<Outcome<Answer>> {
    const began = performance.now();
    try {
      const answer = await work(signal);
      if (performance.now() - began <= deadlineMs) {
        failures = 0;
        probing = false;
      } else {
        fail("its answers come too late");
      }
      return { answer };
    } catch (error) {
      if (!signal.aborted) {
        fail(errorMessage(error));
      }
      return { why: "failed" };
    }
  }

  return {
    ask: async (work, signal) => {
      if (failures > 0 && (probing || performance.now() < openUntil)) {
        return { why: "open" };
      }
      if (failures > 0) {
        probing = true;
        void attempt(work);
        return { why: "probed" };
      }
      const outcome = await within(() => attempt(work, signal), deadlineMs);
      if (outcome === LATE) {
        fail(`no answer within ${deadlineMs} ms`);
        return { why: "late" };
      }
      return outcome;
    },
    retryInSeconds: () => Math.ceil(Math.max(0, openUntil - performance.now()) / 1_000),
  };
}
