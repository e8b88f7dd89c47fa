export type ScoredChunk = { readonly chunkId: number; readonly score: number };

export type Top = {
  /** The score that another chunk must reach; 0 until the limit is reached. */
  readonly lowest: () => number;
  readonly offer: (chunkId: number, score: number) => void;
  /** Best first; of the same score the lower number. */
  readonly sorted: () => readonly ScoredChunk[];
};

/** Keeps the best `limit` of the chunks it is offered, in whatever order: a heap with the worst on top. */
export function createTop(limit: number): Top {
  const ids = new Float64Array(limit);
  const scores = new Float64Array(limit);
  let size = 0;

  function isWorse(one: number, other: number): boolean {
    const difference = (scores[one] ?? 0) - (scores[other] ?? 0);
    return difference < 0 || (difference === 0 && (ids[one] ?? 0) > (ids[other] ?? 0));
  }

  function swap(one: number, other: number): void {
    [ids[one], ids[other]] = [ids[other] ?? 0, ids[one] ?? 0];
    [scores[one], scores[other]] = [scores[other] ?? 0, scores[one] ?? 0];
  }

  function rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >>> 1;
      if (!isWorse(at, parent)) {
        return;
      }
      swap(at, parent);
      at = parent;
    }
  }

  function sink(): void {
    for (let at = 0; ;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < size && isWorse(child, worst)) {
          worst = child;
        }
      }
      if (worst === at) {
        return;
      }
      swap(at, worst);
      at = worst;
    }
  }

  return {
    lowest: () => (size < limit ? 0 : (scores[0] ?? 0)),
    offer: (chunkId, score) => {
      if (size < limit) {
        ids[size] = chunkId;
        scores[size] = score;
        rise(size++);
      } else if (score > (scores[0] ?? 0) || (score === scores[0] && chunkId < (ids[0] ?? 0))) {
        ids[0] = chunkId;
        scores[0] = score;
        sink();
      }
    },
    sorted: () =>
      Array.from({ length: size }, (_, at) => ({ chunkId: ids[at] ?? 0, score: scores[at] ?? 0 })).toSorted(
        (one, other) => other.score - one.score || one.chunkId - other.chunkId,
      ),
  };
}
