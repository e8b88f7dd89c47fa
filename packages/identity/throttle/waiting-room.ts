import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@sightline/foundation/errors";
import { refusal } from "#refusals.ts";

/** Ends early, by throwing, when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;

export type WaitingRoom = ReturnType<typeof createWaitingRoom>;

/** Somebody who waits: at what, from where, and how often that place has tried it lately. */
export type Guest = { readonly key: string; readonly site: string; readonly tries: number };

/** A guest with a chair. Aborting `gaveWay` sends the guest away. */
type Seated = Guest & { readonly gaveWay: AbortController };

/** Waiting costs an attacker nothing, so the number of waiting requests in one process is limited, for one key and in all. */
const MAX_WAITING_PER_KEY = 200;
const MAX_WAITING = 400;

export const realSleep: Sleep = (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal });

/**
 * Holds requests back for a while. When it is full, whoever came from the place with the most waiting, or the most tries,
 * gives way: an owner's first try from a place of their own finds a chair among any number of guesses from others.
 */
export function createWaitingRoom(sleep: Sleep) {
  const seated = new Set<Seated>();

  /** @throws {AppError} 429 when nobody has a weaker claim than the newcomer. */
  function makeRoom(newcomer: Guest, seconds: number): void {
    const rivals = [...seated].filter(({ key }) => key === newcomer.key);
    const crowded = rivals.length >= MAX_WAITING_PER_KEY ? rivals : seated.size >= MAX_WAITING ? [...seated] : undefined;
    if (crowded === undefined) {
      return;
    }
    const perSite = new Map<string, number>();
    for (const { site } of crowded) {
      perSite.set(site, (perSite.get(site) ?? 0) + 1);
    }
    const claimOf = ({ site, tries }: Guest, more = 0) => (perSite.get(site) ?? 0) + more + tries;
    const weakest = crowded.reduce((one, other) => (claimOf(other) > claimOf(one) ? other : one));
    if (claimOf(weakest) <= claimOf(newcomer, 1)) {
      throw tooManyTries(seconds);
    }
    seated.delete(weakest);
    weakest.gaveWay.abort();
  }

  return {
    /**
     * Delays the caller without holding a database connection.
     *
     * @throws {AppError} 429 when too many wait already, or this one gave way to another; 400 `client_gone` when the caller left.
     */
    wait: async (guest: Guest, seconds: number, left: AbortSignal | undefined): Promise<void> => {
      makeRoom(guest, seconds);
      const chair: Seated = { ...guest, gaveWay: new AbortController() };
      const { signal } = chair.gaveWay;
      seated.add(chair);
      try {
        await sleep(seconds * 1000, left === undefined ? signal : AbortSignal.any([left, signal]));
      } catch (error) {
        if (left?.aborted === true) {
          throw refusal("client_gone", { cause: error });
        }
        throw signal.aborted ? tooManyTries(seconds) : error;
      } finally {
        seated.delete(chair);
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
