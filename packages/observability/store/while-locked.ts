/** A reader takes what is counted already when another process counts for longer, as one does whose machine has gone silent. */
export const READER_WAITS_MS = 1_000;

const LOCK_NOT_AVAILABLE = "55P03";

/** @returns `otherwise` when a lock was waited for too long. */
export async function unlessLocked<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE) {
      return otherwise;
    }
    throw error;
  }
}
