/** One reader's right to go on with its batch. */
export type Turn = {
  /** Waits for the turn; a second call does nothing. */
  readonly take: () => Promise<void>;
  /** Gives the turn back, if it was taken. */
  readonly end: () => void;
};

/** Lets `most` readers at once gather and write a batch, in the order of their asking; others wait with the few entries that woke them. */
export function createTurns(most: number): () => Turn {
  const waiting: (() => void)[] = [];
  let free = most;
  return () => {
    let isTaken = false;
    return {
      take: async () => {
        if (isTaken) {
          return;
        }
        isTaken = true;
        if (free > 0) {
          free -= 1;
          return;
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      },
      end: () => {
        if (!isTaken) {
          return;
        }
        isTaken = false;
        const next = waiting.shift();
        if (next === undefined) {
          free += 1;
        } else {
          next();
        }
      },
    };
  };
}
