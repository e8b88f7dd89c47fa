import { hasBit } from "#store/index/bitmap.ts";
import { chunkId, BLOCK, type BoundedColumns } from "#store/index/postings.ts";
import { placeFrom } from "#store/index/intersect.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** A query term as one segment has it. */
export type Row = {
  /** Its place among the query's terms. */
  readonly term: number;
  readonly weight: number;
  readonly list: BoundedColumns;
  /** What an impact of the list is multiplied by to become a score. */
  readonly factor: number;
  /** The highest score that the term adds to any chunk of the segment. */
  readonly upperBound: number;
};

/**
 * Buffers that are as large as the largest segment and are reused by all searches of a process: no search allocates them. A segment is
 * scored without awaiting anything, so that no two searches use them at once.
 */
export type ScoreScratch = {
  /** Score by ordinal; all 0 between segments. */
  scores: Float64Array;
  /** Ordinals, rising, of the chunks that may still be among the best. */
  candidates: Uint32Array;
  /** By block the highest score that all terms together add to a chunk of it. */
  bounds: Float64Array;
};

export function createScoreScratch(): ScoreScratch {
  return { scores: new Float64Array(0), candidates: new Uint32Array(0), bounds: new Float64Array(0) };
}

function growScratch(scratch: ScoreScratch, capacity: number): void {
  if (scratch.scores.length < capacity) {
    scratch.scores = new Float64Array(capacity);
    scratch.candidates = new Uint32Array(capacity);
    scratch.bounds = new Float64Array(Math.ceil(capacity / BLOCK));
  }
}

type Collector = {
  readonly found: (chunkId: number, score: number) => void;
  /** The score a chunk has to reach to be among the best so far. */
  readonly lowest: () => number;
};

/** Sums in another order differ in their last digits. */
export const ROUNDING = 1.000001;

/**
 * Scores only the blocks in which a chunk could reach the lowest of the best so far. Terms that could not lift a chunk above it even
 * together are only looked up, for the chunks that the other terms found: most words of a question are in far too many chunks to go
 * through them all. (Block-max pruning after Ding and Suel, 2011; MaxScore after Turtle and Flood, 1995.)
 */
export function scoreSegment(scratch: ScoreScratch, segment: VisibleChunks, rows: readonly Row[], { found, lowest }: Collector): void {
  const { segmentId, capacity, ordinals: seen } = segment;
  growScratch(scratch, capacity);
  // Everywhere in the same order, so that equal chunks get the same score to the last digit.
  const sorted = rows.toSorted((one, other) => other.weight - one.weight);
  const target = lowest();
  const stretches = findStretches(scratch, sorted, { capacity, threshold: target });
  /** A chunk with a lower score can't be among the best any more, whatever the terms from `at` on add. */
  const thresholdAt = (at: number) => target - sorted.slice(at).reduce((sum, { upperBound }) => sum + upperBound, 0) * ROUNDING;
  const split = sorted.findIndex((_, at) => thresholdAt(at) > 0);
  const [needed, others] = split === -1 ? [sorted, []] : [sorted.slice(0, split), sorted.slice(split)];
  for (const row of needed) {
    addTerm(scratch, row, stretches);
  }
  let count = collectCandidates(scratch, stretches, { threshold: Math.max(thresholdAt(needed.length), Number.MIN_VALUE), seen });
  for (const [index, row] of others.entries()) {
    count = addToCandidates(scratch, row, { count, threshold: thresholdAt(needed.length + index + 1) });
  }
  const { scores, candidates } = scratch;
  const first = chunkId(segmentId, 0);
  for (let at = 0; at < count; at++) {
    const ordinal = candidates[at] ?? 0;
    found(first + ordinal, scores[ordinal] ?? 0);
  }
  for (const { from, to } of stretches) {
    scores.fill(0, from, to);
  }
}

/** Ordinals from `from` on, before `to`. */
type Stretch = { readonly from: number; readonly to: number };

/** The blocks in which a chunk holds a term and could reach the threshold, joined with their neighbours. */
function findStretches(
  { bounds }: ScoreScratch,
  rows: readonly Row[],
  { capacity, threshold }: { readonly capacity: number; readonly threshold: number },
): readonly Stretch[] {
  const blocks = Math.ceil(capacity / BLOCK);
  bounds.fill(0, 0, blocks);
  for (const row of rows) {
    addBounds(bounds, row);
  }
  const stretches: Stretch[] = [];
  for (let block = 0; block < blocks; block++) {
    const from = block;
    while (block < blocks && (bounds[block] ?? 0) > 0 && (bounds[block] ?? 0) * ROUNDING >= threshold) {
      block++;
    }
    if (block > from) {
      stretches.push({ from: from * BLOCK, to: Math.min(block * BLOCK, capacity) });
    }
  }
  return stretches;
}

function addBounds(bounds: Float64Array, { list: { ordinals, impacts, blockUpperBounds }, factor }: Row): void {
  if (blockUpperBounds !== undefined) {
    for (let block = 0; block < blockUpperBounds.length; block++) {
      bounds[block] = (bounds[block] ?? 0) + (blockUpperBounds[block] ?? 0) * factor;
    }
    return;
  }
  for (let at = 0; at < ordinals.length;) {
    const block = Math.floor((ordinals[at] ?? 0) / BLOCK);
    let upperBound = 0;
    for (; at < ordinals.length && (ordinals[at] ?? 0) < (block + 1) * BLOCK; at++) {
      upperBound = Math.max(upperBound, impacts[at] ?? 0);
    }
    bounds[block] = (bounds[block] ?? 0) + upperBound * factor;
  }
}

/** Notes the visible chunks that have reached the threshold. @returns how many there are. */
function collectCandidates(
  { scores, candidates }: ScoreScratch,
  stretches: readonly Stretch[],
  { threshold, seen }: { readonly threshold: number; readonly seen: Uint8Array | null },
): number {
  let count = 0;
  for (const { from, to } of stretches) {
    for (let ordinal = from; ordinal < to; ordinal++) {
      if ((scores[ordinal] ?? 0) >= threshold && (seen === null || hasBit(seen, ordinal))) {
        candidates[count++] = ordinal;
      }
    }
  }
  return count;
}

/** Adds a term to the first `count` candidates, and keeps those that then reach the threshold. @returns how many are left. */
function addToCandidates(
  { scores, candidates }: ScoreScratch,
  { list: { ordinals, impacts }, factor }: Row,
  { count, threshold }: { readonly count: number; readonly threshold: number },
): number {
  let kept = 0;
  for (let at = 0, place = 0; at < count; at++) {
    const ordinal = candidates[at] ?? 0;
    place = placeFrom(ordinals, ordinal, place);
    const add = ordinals[place] === ordinal ? (impacts[place] ?? 0) * factor : 0;
    const sum = (scores[ordinal] ?? 0) + add;
    if (sum >= threshold) {
      scores[ordinal] = sum;
      candidates[kept++] = ordinal;
    }
  }
  return kept;
}

function addTerm({ scores }: ScoreScratch, { list: { ordinals, impacts }, factor }: Row, stretches: readonly Stretch[]): void {
  let at = 0;
  for (const { from, to } of stretches) {
    at = placeFrom(ordinals, from, at);
    for (; at < ordinals.length; at++) {
      const ordinal = ordinals[at] ?? 0;
      if (ordinal >= to) {
        break;
      }
      scores[ordinal] = (scores[ordinal] ?? 0) + (impacts[at] ?? 0) * factor;
    }
  }
}
