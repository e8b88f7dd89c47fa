import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@sightline/foundation/errors";
import { refusal } from "#refusals.ts";

/** Ends early, by throwing, when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;

export type WaitingRoom = ReturnType<typeof createWaitingRoom>;

/** A request that is to wait: what it tries, from which network, and how often that has tried it lately. */
export type Waiter = { readonly key: string; readonly network: string; readonly tries: number };

/** A request that waits. Aborting `displaced` ends it in favour of another one. */
type WaitingEntry = Waiter & { readonly displaced: AbortController };

/** Waiting costs an attacker nothing, so the number of waiting requests in one process is limited, for one key and in all. */
const MAX_WAITING_PER_KEY = 200;
const MAX_WAITING = 400;

export const realSleep: Sleep = (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal });

/**
 * Holds requests back for a while. When it is full, whoever came from the place with the most waiting, or the most tries,
 * gives way: an owner's first try from a place of their own still waits among any number of guesses from others.
 */
export function createWaitingRoom(sleep: Sleep) {
  const waiting = new Set<WaitingEntry>();

  /** @throws {AppError} 429 when nobody has a weaker claim than the newcomer. */
  function makeRoom(newcomer: Waiter, seconds: number): void {
    const sameKey = [...waiting].filter(({ key }) => key === newcomer.key);
    const crowded = sameKey.length >= MAX_WAITING_PER_KEY ? sameKey : waiting.size >= MAX_WAITING ? [...waiting] : undefined;
    if (crowded === undefined) {
      return;
    }
    const perNetwork = new Map<string, number>();
    for (const { network } of crowded) {
      perNetwork.set(network, (perNetwork.get(network) ?? 0) + 1);
    }
    const claimOf = ({ network, tries }: Waiter, more = 0) => (perNetwork.get(network) ?? 0) + more + tries;
    const weakest = crowded.reduce((one, other) => (claimOf(other) > claimOf(one) ? other : one));
    if (claimOf(weakest) <= claimOf(newcomer, 1)) {
      throw tooManyTries(seconds);
    }
    waiting.delete(weakest);
    weakest.displaced.abort();
  }

  return {
    /**
     * Delays the caller without holding a database connection.
     *
     * @throws {AppError} 429 when too many wait already, or this one gave way to another; 400 `client_gone` when the caller left.
     */
    wait: async (waiter: Waiter, seconds: number, left: AbortSignal | undefined): Promise<void> => {
      makeRoom(waiter, seconds);
      const entry: WaitingEntry = { ...waiter, displaced: new AbortController() };
      const { signal } = entry.displaced;
      waiting.add(entry);
      try {
        await sleep(seconds * 1000, left === undefined ? signal : AbortSignal.any([left, signal]));
      } catch (error) {
        if (left?.aborted === true) {
          throw refusal("client_gone", { cause: error });
        }
        throw signal.aborted ? tooManyTries(seconds) : error;
      } finally {
        waiting.delete(entry);
      }
    },
  };
}

export function tooManyTries(seconds: number): AppError {
  return new AppError({
    code: "too_many_tries",
    status: 429,
    message: `Too many tries. Wait ${seconds} seconds, then try again.`,
    headers: { "retry-after": String(seconds) },
  });
}
