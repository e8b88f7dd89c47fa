import { BrokenOff } from "./interrupted.ts";

/** Between two signs of life; the lease lasts six times as long. */
const BEAT_MS = 10_000;

/** What is done with something that this worker has claimed. */
type Claim = {
  /** Says that the worker lives; false when it is no longer its own. */
  readonly keep: () => Promise<boolean>;
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Gives it back unfinished. */
  readonly release: () => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
};

/** Works on a claim, and keeps it until it is done; one that was lost belongs to another worker, who writes down how it ends. */
export async function workOnClaim(stopping: AbortSignal, { keep, work, release, fail }: Claim): Promise<void> {
  const lost = new AbortController();
  const beat = async () => {
    if (!(await keep().catch(() => true))) {
      lost.abort(new BrokenOff("lost"));
    }
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  try {
    await work(AbortSignal.any([stopping, lost.signal]));
  } catch (error) {
    if (stopping.aborted) {
      await release();
    } else if (!lost.signal.aborted) {
      await fail(error);
    }
  } finally {
    clearInterval(timer);
  }
}
