import { createHash } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { Queries } from "#schema.ts";
import { forgetTries, giveTryBack, takeTry, type Limit } from "./throttle.store.ts";
import { createStrangerLimit, STRANGERS } from "./stranger-limit.ts";
import { tooManyTries, type Waiter, type WaitingRoom } from "./waiting-room.ts";

/** One counter of a try: what is counted, and for whom. */
export type Counter = {
  readonly name: string;
  readonly subject: string;
  readonly limit: Limit;
  /** Whether a success proves that the failures before it were the owner's. */
  readonly forgottenBySuccess: boolean;
  /** Where the try comes from, if its count decides who gives way when too many wait: those that tried most. */
  readonly network?: string;
};

/** A try that is counted before anything is verified. */
export type Try = {
  /** Call it when the try was right, which then does not count. */
  readonly succeeded: () => Promise<void>;
  /** Call it when the try was never evaluated because of an error of ours; it does not count either. */
  readonly giveBack: () => Promise<void>;
};

type Delay = { readonly counter: Counter; readonly seconds: number };

export type Throttle = ReturnType<typeof createThrottle>;

type Dependencies = { readonly queries: Queries; readonly clock: Clock; readonly waitingRoom: WaitingRoom };

/** How many strangers' tries are counted at a time in one process. */
const COUNTED_AT_ONCE = 2;

/** Counts in PostgreSQL, so that every replica sees every try. */
export function createThrottle({ queries, clock, waitingRoom }: Dependencies) {
  const strangerLimit = createStrangerLimit(COUNTED_AT_ONCE);

  async function giveBack(counters: readonly Counter[]): Promise<void> {
    for (const counter of counters) {
      await giveTryBack(queries, counterKey(counter), counter.limit);
    }
  }

  async function wait(delays: readonly Delay[], waiter: Omit<Waiter, "key">, left: AbortSignal | undefined): Promise<void> {
    for (const { counter, seconds } of delays) {
      await waitingRoom.wait({ ...waiter, key: counterKey(counter) }, seconds, left);
    }
  }

  /** @throws {AppError} 429 with `Retry-After`, having counted nothing. */
  async function count(counters: readonly Counter[]): Promise<{ readonly delays: readonly Delay[]; readonly waiter: Omit<Waiter, "key"> }> {
    const now = clock.now();
    const delays: Delay[] = [];
    let waiter = { network: "", tries: 0 };
    for (const [index, counter] of counters.entries()) {
      const taken = await takeTry(queries, counterKey(counter), counter.limit, now);
      if ("blockedUntil" in taken) {
        await giveBack(counters.slice(0, index));
        throw tooManyTries(Math.max(Math.ceil((taken.blockedUntil.getTime() - now.getTime()) / 1000), 1));
      }
      if (counter.network !== undefined) {
        waiter = { network: counter.network, tries: taken.tries };
      }
      const seconds = delayAfter(taken.tries, counter.limit);
      if (seconds > 0) {
        delays.push({ counter, seconds });
      }
    }
    return { delays, waiter };
  }

  const throttle = {
    /**
     * Waits where a counter delays instead of refusing, until the client has left.
     *
     * @throws {AppError} 429 with `Retry-After`, having counted nothing.
     */
    take: async (counters: readonly Counter[], left?: AbortSignal): Promise<Try> => {
      const isStranger = counters.some(({ network }) => network !== undefined);
      const { delays, waiter } = await (isStranger ? strangerLimit.run(STRANGERS, undefined, () => count(counters)) : count(counters));
      await givingBackOnFailure({ giveBack: () => giveBack(counters) }, () => wait(delays, waiter, left));
      return {
        giveBack: () => giveBack(counters),
        succeeded: async () => {
          for (const counter of counters) {
            await (counter.forgottenBySuccess
              ? forgetTries(queries, counterKey(counter))
              : giveTryBack(queries, counterKey(counter), counter.limit));
          }
        },
      };
    },

    /**
     * Takes a try of one's own; where these are used up, or there are none, one of a stranger's, so that nobody who is known is worse off.
     *
     * @throws {AppError} 429 with `Retry-After`, having counted nothing.
     */
    takeOwnOr: async (own: readonly Counter[] | undefined, strangers: readonly Counter[], left?: AbortSignal) => {
      const taken = own === undefined ? undefined : await throttle.takeIfFree(own);
      return { isOwn: taken !== undefined, taken: taken ?? (await throttle.take(strangers, left)) };
    },

    /** @returns undefined where it would have to wait. */
    takeIfFree: (counters: readonly Counter[]): Promise<Try | undefined> =>
      throttle.take(counters).catch((error: unknown) => {
        if (error instanceof AppError) {
          return undefined;
        }
        throw error;
      }),
  };
  return throttle;
}

/** Gives the try back when `work` throws: a try is spent only when it was evaluated. */
export async function givingBackOnFailure<Result>(taken: Pick<Try, "giveBack">, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await taken.giveBack();
    throw error;
  }
}

/** The refusals of a wrong second factor. */
const GUESSES = new Set(["invalid_code", "invalid_passkey", "invalid_partial_token"]);

/** Counts a try that was a wrong guess at a second factor, and no other. */
export async function countingRefusals<Result>(taken: Try, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    await taken.succeeded();
    return result;
  } catch (error) {
    if (!(error instanceof AppError && GUESSES.has(error.code))) {
      await taken.giveBack();
    }
    throw error;
  }
}

function counterKey({ name, subject }: Counter): string {
  return createHash("sha256").update(`${name}|${subject}`).digest("base64url");
}

/** The delay doubles with every try over the limit. */
function delayAfter(tries: number, { tries: maxTries, delay }: Limit): number {
  return delay === undefined || tries <= maxTries ? 0 : Math.min(delay.firstSeconds * 2 ** (tries - maxTries - 1), delay.mostSeconds);
}
