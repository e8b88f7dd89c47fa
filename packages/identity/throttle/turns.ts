import pLimit from "p-limit";
import { tooManyTries } from "./waiting-room.ts";

export type Turns = ReturnType<typeof createTurns>;

/** More than wait for their time anyway. */
const MAX_QUEUED = 500;
const RETRY_SECONDS = 2;

/**
 * What is done for strangers is done for a few of them at a time, so that a crowd keeps only itself waiting: connections of the
 * database and threads that hash are left for those whom the server knows.
 */
export function createTurns(atOnce: number) {
  const limit = pLimit(atOnce);
  return {
    /** @throws {AppError} 429 when too many wait already. */
    take: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (limit.pendingCount >= MAX_QUEUED) {
        throw tooManyTries(RETRY_SECONDS);
      }
      return limit(work);
    },
  };
}
