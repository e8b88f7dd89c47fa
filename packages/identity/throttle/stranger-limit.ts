import { createSemaphore, type Semaphore } from "@sightline/foundation/semaphore";
import { tooManyTries } from "./waiting-room.ts";

/** More than the waiting room holds anyway. */
const MAX_WAITING = 500;
const RETRY_SECONDS = 2;

export const STRANGERS = "strangers";

/**
 * Limits how much is done for strangers at a time, so that a crowd keeps only itself waiting: connections of the database and threads
 * that hash are left for those whom the server knows. Too many are answered 429.
 */
export function createStrangerLimit(atOnce: number): Semaphore {
  return createSemaphore({ atOnce, maxWaiting: MAX_WAITING, refuse: () => tooManyTries(RETRY_SECONDS) });
}
