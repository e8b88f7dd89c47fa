/**
 * Runs something again whenever it is told that it is out of date: at once, never twice at a time, and then not before the
 * pause is over; what it is told meanwhile makes it run once more.
 */
export function createFollower({
  run,
  pause,
}: {
  readonly run: () => Promise<unknown>;
  /** Resolves when it may run again. */
  readonly pause: () => Promise<void>;
}): { readonly outdated: () => void; readonly stop: () => void } {
  let running = false;
  let again = false;
  let stopped = false;

  async function follow(): Promise<void> {
    running = true;
    do {
      again = false;
      // What failed shows where it is shown; the next news try it again.
      await run().catch(() => undefined);
      await pause();
    } while (again);
    running = false;
  }

  return {
    outdated() {
      if (stopped) {
        return;
      }
      if (running) {
        again = true;
      } else {
        void follow();
      }
    },
    stop() {
      stopped = true;
      again = false;
    },
  };
}
