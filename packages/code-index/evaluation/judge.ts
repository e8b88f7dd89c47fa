import type { Target } from "./query-set.ts";

/** A result as far as it is judged: a place, or a whole file. */
export type Judged = { readonly path: string; readonly start_line?: number; readonly end_line?: number };

export type Scores = {
  readonly ndcg: number;
  /** 1 when any of the targets is first, and among the first five. */
  readonly hit1: number;
  readonly hit5: number;
};

const DEPTH = 10;

/**
 * How well the first ten results answer (NDCG with linear gains: Järvelin and Kekäläinen, 2002). Where files are looked for each file counts as one place in the order; where a place is
 * looked for, a result that does not say which lines it means is taken as right when the file is.
 */
export function judge(results: readonly Judged[], targets: readonly Target[]): Scores {
  const isByFile = targets.every((target) => target.lines === undefined);
  const places = (isByFile ? firstOfEachFile(results) : results).slice(0, DEPTH);
  const found = targets
    .map(({ gain = 1, ...target }) => ({ gain, rank: places.findIndex((result) => answers(result, target)) + 1 }))
    .filter(({ rank }) => rank > 0);
  const ideal = targets.slice(0, DEPTH).reduce((sum, { gain = 1 }, index) => sum + gain * discountAt(index + 1), 0);
  const hits = (depth: number) => Number(found.some(({ gain, rank }) => gain === 1 && rank <= depth));
  return {
    // Two targets in one chunk are at the same rank: no more than the ideal.
    ndcg: Math.min(1, found.reduce((sum, { gain, rank }) => sum + gain * discountAt(rank), 0) / ideal),
    hit1: hits(1),
    hit5: hits(5),
  };
}

export function mean(scores: readonly Scores[]): Scores {
  const average = (of: (score: Scores) => number) => scores.reduce((sum, score) => sum + of(score), 0) / Math.max(1, scores.length);
  return { ndcg: average(({ ndcg }) => ndcg), hit1: average(({ hit1 }) => hit1), hit5: average(({ hit5 }) => hit5) };
}

function discountAt(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

function firstOfEachFile(results: readonly Judged[]): readonly Judged[] {
  const seen = new Set<string>();
  return results.filter(({ path }) => !seen.has(path) && seen.add(path));
}

function answers({ path, start_line: start, end_line: end }: Judged, target: Target): boolean {
  if (path !== target.path) {
    return false;
  }
  const [first, last] = target.lines ?? [1, 1];
  return target.lines === undefined || start === undefined || end === undefined || (start <= last && end >= first);
}
