import type { Candidate } from "./candidate.ts";

type Weights = {
  readonly termWeights: readonly number[];
  readonly total: number;
  /** As `numberFiles` numbers them. */
  readonly files: readonly number[];
};

/** A candidate by its place among them, with what its terms add up to. */
type RankedChunk = { readonly index: number; readonly candidate: Candidate; readonly bm25: number };

/** So many places of a file count together. */
const PLACES = 6;

const NOTHING = { file_best: 0, file_sum: 0, file_fused: 0, file_words: 0, file_places: 0, place_in_file: 1 };

/**
 * What the candidates of one file say about it together, by their places among all: a file may answer though none of its places does by
 * itself.
 * All but the number of places and the place's own rank are shares of the best file's.
 */
export function describeFiles(
  candidates: readonly Candidate[],
  { termWeights, total, files }: Weights,
): (index: number) => Readonly<typeof NOTHING> {
  const all = candidates.map((candidate, index): RankedChunk => ({ index, candidate, bm25: sum(candidate.contributions) }));
  const described = [...Map.groupBy(all, ({ index }) => files[index]).values()].map((ofFile) => ({
    sorted: ofFile.toSorted((one, other) => other.bm25 - one.bm25 || other.candidate.fused.score - one.candidate.fused.score),
    bm25: sumOfBest(ofFile.map(({ bm25 }) => bm25)),
    fused: sumOfBest(ofFile.map(({ candidate }) => candidate.fused.score)),
    words: weightHeld(ofFile, termWeights) / total,
  }));
  const max = {
    best: Math.max(...described.map(({ sorted }) => sorted[0]?.bm25 ?? 0)) || 1,
    bm25: Math.max(...described.map(({ bm25 }) => bm25)) || 1,
    fused: Math.max(...described.map(({ fused }) => fused)) || 1,
  };
  const evidence = candidates.map(() => NOTHING);
  for (const { sorted, bm25, fused, words } of described) {
    const count = Math.log1p(sorted.length);
    for (const [rank, { index }] of sorted.entries()) {
      evidence[index] = {
        file_best: (sorted[0]?.bm25 ?? 0) / max.best,
        file_sum: bm25 / max.bm25,
        file_fused: fused / max.fused,
        file_words: words,
        file_places: count,
        place_in_file: 1 / (rank + 1),
      };
    }
  }
  return (index) => evidence[index] ?? NOTHING;
}

/** The weights of the terms that any of the places holds. */
function weightHeld(places: readonly RankedChunk[], termWeights: readonly number[]): number {
  return termWeights.reduce(
    (held, weight, term) => held + (places.some(({ candidate }) => (candidate.contributions[term] ?? 0) > 0) ? weight : 0),
    0,
  );
}

function sumOfBest(scores: readonly number[]): number {
  return sum(scores.length === 1 ? scores : scores.toSorted((one, other) => other - one).slice(0, PLACES));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
