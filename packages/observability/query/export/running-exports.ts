import { AppError } from "@sightline/foundation/errors";

/** Of one user or key, and of this process: each holds a batch of values in memory, and a connection while it reads one. */
const OF_ONE = 3;
const OF_ALL = 20;

/** The exports that are being sent. */
export function createRunningExports() {
  const running = new Map<symbol, string>();
  return {
    count: (): number => running.size,
    /**
     * @returns what is to be called when it is over.
     * @throws {AppError} `too_many_exports` (429).
     */
    enter: (owner: string): (() => void) => {
      const own = Array.from(running.values()).filter((each) => each === owner).length;
      if (own >= OF_ONE || running.size >= OF_ALL) {
        throw new AppError({
          code: "too_many_exports",
          status: 429,
          message: `At most ${OF_ONE} exports run at once for one user or key, and ${OF_ALL} for all; wait until one has ended.`,
          headers: { "retry-after": "30" },
        });
      }
      const id = Symbol(owner);
      running.set(id, owner);
      return () => void running.delete(id);
    },
  };
}
