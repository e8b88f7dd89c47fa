/** Chunks whose postings all builds of a process keep in memory until they are packed. */
const CHUNKS = 20_000;
/** Searches read a row of each segment for each term, so none is closed before this. */
const MIN_CHUNKS = 2_500;

/** The memory that the builds of a process share, so that two at once need no more than one. */
export type PostingsMemory = {
  /** Takes part in it; the answer gives the part back, once however often it is called. */
  readonly enter: () => () => void;
  /** How many chunks each may keep at the moment. */
  readonly share: () => number;
};

export function createPostingsMemory(): PostingsMemory {
  const inside = new Set<symbol>();
  return {
    enter: () => {
      const own = Symbol("build");
      inside.add(own);
      return () => void inside.delete(own);
    },
    share: () => Math.max(MIN_CHUNKS, Math.floor(CHUNKS / Math.max(1, inside.size))),
  };
}
