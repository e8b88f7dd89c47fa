import type { Candidate } from "./candidate.ts";

const NOTHING = { likeness: 0, likeness_above: 0, file_likeness: 0 };
/** Deviations below the mean: what has no vector, as a file that is too long for one, is as far as anything. */
const FARTHEST = -3;

/**
 * How like the query candidates are, by their places among all, held against each other: cosines of one embedder, or one query, are not on the scale of
 * another's. `files` are as `numberFiles` numbers them.
 */
export function describeLikeness(candidates: readonly Candidate[], files: readonly number[]): (index: number) => typeof NOTHING {
  const cosines = candidates.flatMap(({ likeness }) => likeness ?? []);
  const best = Math.max(0, ...cosines);
  if (best === 0) {
    return () => NOTHING;
  }
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  const deviation = Math.sqrt(cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / cosines.length);
  const shares = candidates.map(({ likeness = 0 }) => Math.max(0, likeness / best));
  const ofFiles: number[] = [];
  for (const [index, share] of shares.entries()) {
    const file = files[index] ?? 0;
    ofFiles[file] = Math.max(share, ofFiles[file] ?? 0);
  }
  return (index) => ({
    likeness: shares[index] ?? 0,
    likeness_above: Math.max(FARTHEST, ((candidates[index]?.likeness ?? -1) - mean) / (deviation || 1)),
    file_likeness: ofFiles[files[index] ?? 0] ?? 0,
  });
}
