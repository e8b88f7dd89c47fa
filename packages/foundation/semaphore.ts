import { type AppError, refusal } from "#errors.ts";

/** Limits how much work of one owner runs at once; the rest waits in order, so that one owner does not take the place of all others. */
export type Semaphore = {
  /** @throws {AppError} the refusal of the limits when the work could not begin; the signal's reason when it was aborted. */
  readonly run: <Result>(owner: string, signal: AbortSignal | undefined, work: () => Promise<Result>) => Promise<Result>;
  /** Takes a place as `run` does. @returns what gives it back. */
  readonly take: (owner: string) => Promise<() => void>;
};

type Limits = {
  readonly atOnce: number;
  /** How long work waits for its place; without it as long as it takes. */
  readonly waitMs?: number;
  /** How much work of one owner waits; without it any number. */
  readonly maxWaiting?: number;
  /** The refusal of work that waits too long, or is too much to wait; without it 503 `too_busy`. */
  readonly refuse?: () => AppError;
};

type Line = { running: number; readonly waiting: Set<() => void> };

export function createSemaphore({ atOnce, waitMs, maxWaiting = Infinity, refuse = () => tooBusy(waitMs ?? 0) }: Limits): Semaphore {
  const lines = new Map<string, Line>();

  async function wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (line.waiting.size >= maxWaiting) {
      throw refuse();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Removed at once, so that no place is handed to a caller that has left.
    const leave = (reason: unknown) => {
      line.waiting.delete(resolve);
      reject(reason);
    };
    const abandon = () => leave(signal?.reason);
    const late = waitMs === undefined ? undefined : setTimeout(() => leave(refuse()), waitMs);
    line.waiting.add(resolve);
    signal?.addEventListener("abort", abandon, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abandon);
    }
  }

  const run: Semaphore["run"] = async (owner, signal, work) => {
    const line = lines.get(owner) ?? { running: 0, waiting: new Set() };
    lines.set(owner, line);
    if (line.running < atOnce) {
      line.running++;
    } else {
      await wait(line, signal);
    }
    try {
      return await work();
    } finally {
      const [next] = line.waiting;
      if (next === undefined) {
        line.running--;
      } else {
        // The place is handed on to whoever waits longest.
        line.waiting.delete(next);
        next();
      }
      if (line.running === 0) {
        lines.delete(owner);
      }
    }
  };

  return {
    run,
    take: (owner) => {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const holdPlace = () => new Promise<void>((giveBack) => resolve(giveBack));
      run(owner, undefined, holdPlace).catch(reject);
      return promise;
    },
  };
}

const RETRY_SECONDS = 5;

function tooBusy(milliseconds: number): AppError {
  const message = `Too many of these run at once, and none ended within ${milliseconds / 1_000} s; try again when fewer do.`;
  return refusal(503, "too_busy", message, { headers: { "retry-after": String(RETRY_SECONDS) } });
}
