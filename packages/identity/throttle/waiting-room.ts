import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@sightline/foundation/errors";
import { refusal } from "#refusals.ts";

/** Ends early, by throwing, when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;

export type WaitingRoom = ReturnType<typeof createWaitingRoom>;

/** Waiting costs an attacker nothing, so the number of waiting requests in one process is limited, for one key and in all. */
const MAX_WAITING_PER_KEY = 10;
const MAX_WAITING = 200;

export const realSleep: Sleep = (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal });

export function createWaitingRoom(sleep: Sleep) {
  const waiting = new Map<string, number>();
  let all = 0;

  function move(key: string, change: 1 | -1): void {
    const left = (waiting.get(key) ?? 0) + change;
    all += change;
    if (left === 0) {
      waiting.delete(key);
    } else {
      waiting.set(key, left);
    }
  }

  return {
    /**
     * Delays the caller without holding a database connection.
     *
     * @throws {AppError} 429 when too many wait already, 400 `client_gone` when the caller left.
     */
    wait: async (key: string, seconds: number, left: AbortSignal | undefined): Promise<void> => {
      if (all >= MAX_WAITING || (waiting.get(key) ?? 0) >= MAX_WAITING_PER_KEY) {
        throw tooManyTries(seconds);
      }
      move(key, 1);
      try {
        await sleep(seconds * 1000, left);
      } catch (error) {
        if (left?.aborted === true) {
          throw refusal("client_gone", { cause: error });
        }
        throw error;
      } finally {
        move(key, -1);
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
