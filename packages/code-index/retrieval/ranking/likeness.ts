import { fileOf, type Candidate } from "./candidate.ts";

const NOTHING = { likeness: 0, likeness_above: 0, file_likeness: 0 };
/** Deviations below the mean: what has no vector, as a file that is too long for one, is as far as anything. */
const FARTHEST = -3;

/**
 * How like the query candidates are, held against each other: cosines of one embedder, or one query, are not on the scale of another's.
 */
export function describeLikeness(candidates: readonly Candidate[]): (candidate: Candidate) => typeof NOTHING {
  const cosines = candidates.flatMap(({ likeness }) => likeness ?? []);
  const best = Math.max(0, ...cosines);
  if (best === 0) {
    return () => NOTHING;
  }
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  const deviation = Math.sqrt(cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / cosines.length);
  const shareOf = (cosine = 0) => Math.max(0, cosine / best);
  const ofFiles = new Map<string, number>();
  for (const candidate of candidates) {
    const file = fileOf(candidate);
    ofFiles.set(file, Math.max(shareOf(candidate.likeness), ofFiles.get(file) ?? 0));
  }
  return (candidate) => ({
    likeness: shareOf(candidate.likeness),
    likeness_above: Math.max(FARTHEST, ((candidate.likeness ?? -1) - mean) / (deviation || 1)),
    file_likeness: ofFiles.get(fileOf(candidate)) ?? 0,
  });
}
