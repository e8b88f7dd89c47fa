import { hasBit } from "#store/index/bitmap.ts";
import { chunkId, BLOCK, type BoundedColumns } from "#store/index/postings.ts";
import { placeFrom } from "./intersect.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** A concept as a segment has it. */
export type Row = {
  readonly weight: number;
  readonly list: BoundedColumns;
  /** By which an impact is multiplied. */
  readonly factor: number;
  /** What it adds to a chunk of the segment at the most. */
  readonly most: number;
};

/** Numbers by ordinal or by block, of the segment that is being gone through; used again and again. */
type Room = {
  readonly capacity: number;
  /** All 0 between segments. */
  readonly scores: Float64Array;
  /** Ordinals of the chunks that may still be among the best, rising. */
  readonly held: Uint32Array;
  /** What all concepts add to a chunk of a block at the most. */
  readonly bounds: Float64Array;
};

let room = makeRoom(0);

function makeRoom(capacity: number): Room {
  const blocks = Math.ceil(capacity / BLOCK);
  return {
    capacity,
    scores: new Float64Array(capacity),
    held: new Uint32Array(capacity),
    bounds: new Float64Array(blocks),
  };
}

export type Found = (chunkId: number, score: number) => void;

/** Sums in another order differ in their last digits. */
export const ROUNDING = 1.000001;

/**
 * Goes only through the blocks in which a chunk could reach the lowest of the best so far. Of the concepts those that all together could
 * not lift a chunk above it are only looked up, for the chunks that the others found: most of a question's words are in far
 * too many chunks to go through them all. (Block-max pruning after Ding and Suel, 2011; MaxScore after Turtle and Flood, 1995.)
 */
export function scoreSegment(segment: VisibleChunks, rows: readonly Row[], found: Found, lowest: () => number): void {
  const { segmentId, capacity, ordinals: seen } = segment;
  if (room.capacity < capacity) {
    room = makeRoom(capacity);
  }
  // Everywhere in the same order, so that equal chunks get the same score to the last digit.
  const sorted = rows.toSorted((one, other) => other.weight - one.weight);
  const least = lowest();
  const stretches = findStretches(sorted, capacity, least);
  /** Below this a chunk can't be among the best any more, whatever the concepts from `at` on add. */
  const hopeless = (at: number) => least - sorted.slice(at).reduce((sum, { most }) => sum + most, 0) * ROUNDING;
  const summed = sorted.findIndex((_, at) => hopeless(at) > 0);
  const [needed, others] = summed === -1 ? [sorted, []] : [sorted.slice(0, summed), sorted.slice(summed)];
  for (const row of needed) {
    addConcept(row, stretches);
  }
  let count = holdAbove(Math.max(hopeless(needed.length), Number.MIN_VALUE), stretches, seen);
  for (const [index, row] of others.entries()) {
    count = addToHeld(row, count, hopeless(needed.length + index + 1));
  }
  const first = chunkId(segmentId, 0);
  for (let at = 0; at < count; at++) {
    const ordinal = room.held[at] ?? 0;
    found(first + ordinal, room.scores[ordinal] ?? 0);
  }
  for (const { from, to } of stretches) {
    room.scores.fill(0, from, to);
  }
}

/** Ordinals from `from` on, before `to`. */
type Stretch = { readonly from: number; readonly to: number };

/** The blocks in which a chunk holds a concept and could have such a score, joined with their neighbours. */
function findStretches(rows: readonly Row[], capacity: number, least: number): readonly Stretch[] {
  const blocks = Math.ceil(capacity / BLOCK);
  const { bounds } = room;
  bounds.fill(0, 0, blocks);
  rows.forEach(addBounds);
  const stretches: Stretch[] = [];
  for (let block = 0; block < blocks; block++) {
    const from = block;
    while (block < blocks && (bounds[block] ?? 0) > 0 && (bounds[block] ?? 0) * ROUNDING >= least) {
      block++;
    }
    if (block > from) {
      stretches.push({ from: from * BLOCK, to: Math.min(block * BLOCK, capacity) });
    }
  }
  return stretches;
}

function addBounds({ list: { ordinals, impacts, blockMost }, factor }: Row): void {
  const { bounds } = room;
  if (blockMost !== undefined) {
    for (let block = 0; block < blockMost.length; block++) {
      bounds[block] = (bounds[block] ?? 0) + (blockMost[block] ?? 0) * factor;
    }
    return;
  }
  for (let at = 0; at < ordinals.length;) {
    const block = Math.floor((ordinals[at] ?? 0) / BLOCK);
    let most = 0;
    for (; at < ordinals.length && (ordinals[at] ?? 0) < (block + 1) * BLOCK; at++) {
      most = Math.max(most, impacts[at] ?? 0);
    }
    bounds[block] = (bounds[block] ?? 0) + most * factor;
  }
}

/** @returns how many are held. */
function holdAbove(score: number, stretches: readonly Stretch[], seen: Uint8Array | null): number {
  const { scores, held } = room;
  let count = 0;
  for (const { from, to } of stretches) {
    for (let ordinal = from; ordinal < to; ordinal++) {
      if ((scores[ordinal] ?? 0) >= score && (seen === null || hasBit(seen, ordinal))) {
        held[count++] = ordinal;
      }
    }
  }
  return count;
}

/** Adds a concept to the first `count` of those held, and goes on holding those that have `score` then. */
function addToHeld({ list: { ordinals, impacts }, factor }: Row, count: number, score: number): number {
  const { scores, held } = room;
  let kept = 0;
  for (let at = 0, place = 0; at < count; at++) {
    const ordinal = held[at] ?? 0;
    place = placeFrom(ordinals, ordinal, place);
    const add = ordinals[place] === ordinal ? (impacts[place] ?? 0) * factor : 0;
    const sum = (scores[ordinal] ?? 0) + add;
    if (sum >= score) {
      scores[ordinal] = sum;
      held[kept++] = ordinal;
    }
  }
  return kept;
}

function addConcept({ list: { ordinals, impacts }, factor }: Row, stretches: readonly Stretch[]): void {
  const { scores } = room;
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
