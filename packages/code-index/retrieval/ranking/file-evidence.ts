import { fileOf, type Candidate } from "./candidate.ts";

type ScoredCandidate = { readonly candidate: Candidate; readonly bm25: number };
type Weights = { readonly termWeights: readonly number[]; readonly total: number };

/** So many places of a file count together. */
const PLACES = 6;

/**
 * What the candidates of one file say about it together: a file may answer though none of its places does by itself. All but the
 * number of places and the place's own rank are shares of the best file's.
 */
export function describeFiles(scored: readonly ScoredCandidate[], { termWeights, total }: Weights) {
  const files = [...Map.groupBy(scored, ({ candidate }) => fileOf(candidate)).values()].map((places) => {
    const sorted = places.toSorted((one, other) => other.bm25 - one.bm25 || other.candidate.fused.score - one.candidate.fused.score);
    const contributions = sorted.map(({ candidate }) => candidate.contributions);
    return {
      sorted,
      best: sorted[0]?.bm25 ?? 0,
      bm25: sumOfBest(places.map(({ bm25 }) => bm25)),
      fused: sumOfBest(places.map(({ candidate }) => candidate.fused.score)),
      words: termWeights.reduce((held, weight, term) => held + (contributions.some((own) => (own[term] ?? 0) > 0) ? weight : 0), 0) / total,
    };
  });
  const most = {
    best: Math.max(...files.map(({ best }) => best)) || 1,
    bm25: Math.max(...files.map(({ bm25 }) => bm25)) || 1,
    fused: Math.max(...files.map(({ fused }) => fused)) || 1,
  };
  const described = new Map(
    files.flatMap(({ sorted, best, bm25, fused, words }) =>
      sorted.map(({ candidate }, rank) => [
        candidate,
        {
          file_best: best / most.best,
          file_sum: bm25 / most.bm25,
          file_fused: fused / most.fused,
          file_words: words,
          file_places: Math.log1p(sorted.length),
          place_in_file: 1 / (rank + 1),
        },
      ]),
    ),
  );
  return (candidate: Candidate) => described.get(candidate) ?? NOTHING;
}

const NOTHING = { file_best: 0, file_sum: 0, file_fused: 0, file_words: 0, file_places: 0, place_in_file: 1 };

function sumOfBest(scores: readonly number[]): number {
  return scores
    .toSorted((one, other) => other - one)
    .slice(0, PLACES)
    .reduce((sum, score) => sum + score, 0);
}
