import { hasBit } from "#store/bitmap.ts";
import { chunkId, SEGMENT_CAPACITY } from "#store/chunk-id.ts";
import { IMPACT_STEP, type PackedOut } from "#store/postings.ts";
import { placeFrom, type Rising } from "./intersect.ts";
import type { Concept } from "./query.ts";
import type { TermPostings } from "./segment-memory.ts";
import { createTop, type ScoredChunk } from "./top.ts";
import type { VisibleChunks } from "./visible-chunks.ts";

export type Scores = {
  /** The best chunks, best first. */
  readonly best: readonly ScoredChunk[];
  /** Which part of what the query asks for a chunk holds, rare words counting more; 0 to 1. */
  readonly coverageOf: (chunkId: number) => number;
};

type Scoring = {
  readonly concepts: readonly Concept[];
  readonly segments: readonly VisibleChunks[];
  readonly postings: ReadonlyMap<string, TermPostings>;
  readonly limit: number;
  readonly isWanted?: (chunkId: number) => boolean;
};

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/**
 * BM25 over the chunks that are seen and hold a term of the query. How rare a concept is counts over the chunks
 * seen, so nobody learns from scores what others have; how long a chunk is was counted
 * when it was written. A chunk gets each concept once, by the form that serves it best.
 */
export function scorePostings({ concepts, segments, postings, limit, isWanted }: Scoring): Scores {
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const weights = concepts.map((concept) => concept.weight * rarity(concept, { segments, postings, total }));
  const coverable = weights.reduce((sum, weight) => sum + weight, 0);
  const top = createTop(limit);
  const found: Found = (id, score) => {
    if (isWanted === undefined || isWanted(id)) {
      top.offer(id, score);
    }
  };
  const promising = segments
    .map((segment) => {
      const rows = rowsOf(segment, { concepts, weights, postings });
      return { segment, rows, most: rows.reduce((sum, row) => sum + row.most, 0) };
    })
    .toSorted((one, other) => other.most - one.most);
  for (const { segment, rows, most } of promising) {
    if (most === 0 || most * ROUNDING < top.lowest()) {
      break;
    }
    scoreSegment(segment, rows, found, top.lowest);
  }
  const bySegment = new Map(segments.map((segment) => [segment.segmentId, segment]));
  return {
    best: top.sorted(),
    coverageOf: (id) => {
      const segment = bySegment.get(Math.floor(id / SEGMENT_CAPACITY));
      const ordinal = id % SEGMENT_CAPACITY;
      if (segment === undefined || !isSeen(segment, ordinal)) {
        return 0;
      }
      const holds = ({ forms }: Row) => forms.some(({ list: { ordinals } }) => ordinals[placeFrom(ordinals, ordinal, 0)] === ordinal);
      const rows = rowsOf(segment, { concepts, weights, postings });
      return rows.reduce((sum, row) => sum + (holds(row) ? row.weight : 0), 0) / (coverable || 1);
    },
  };
}

type Counted = Pick<Scoring, "segments" | "postings"> & { readonly total: number };

/** The inverse document frequency of a concept: that of its commonest form among the chunks seen; 0 for one that is nowhere. */
function rarity({ terms }: Concept, { segments, postings, total }: Counted): number {
  const frequency = Math.max(0, ...terms.map((term) => frequencyOf(segments, postings.get(term))));
  return frequency === 0 ? 0 : Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

function frequencyOf(segments: readonly VisibleChunks[], bySegment: TermPostings | undefined): number {
  let frequency = 0;
  for (const { segmentId, ordinals: seen } of segments) {
    const list = bySegment?.get(segmentId) ?? undefined;
    if (list !== undefined) {
      frequency += seen === null ? list.ordinals.length : countSeen(list, seen);
    }
  }
  return frequency;
}

function countSeen({ ordinals }: PackedOut, seen: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < ordinals.length; at++) {
    const ordinal = ordinals[at] ?? 0;
    count += ((seen[ordinal >>> 3] ?? 0) >>> (ordinal & 7)) & 1;
  }
  return count;
}

/** A concept as a segment has it. */
type Row = {
  readonly weight: number;
  readonly forms: readonly Form[];
  /** What it adds to a chunk of the segment at the most. */
  readonly most: number;
};

type Form = { readonly list: PackedOut; readonly factor: number };

type Weighed = Pick<Scoring, "concepts" | "postings"> & { readonly weights: readonly number[] };

function rowsOf({ segmentId }: VisibleChunks, { concepts, weights, postings }: Weighed): readonly Row[] {
  return concepts.flatMap(({ terms }, index) => {
    const weight = weights[index] ?? 0;
    const forms = terms.flatMap((term, form): Form[] => {
      const list = postings.get(term)?.get(segmentId) ?? undefined;
      return list === undefined ? [] : [{ list, factor: IMPACT_STEP * weight * (form === 0 ? 1 : VARIANT_WEIGHT) }];
    });
    return forms.length === 0 ? [] : [{ weight, forms, most: Math.max(...forms.map(({ list, factor }) => list.most * factor)) }];
  });
}

/** Of the segment that is being gone through, by ordinal; used again and again, and all 0 between segments. */
let scores = new Float64Array(0);
/** The best form of a concept so far; all 0 between concepts. */
let bests = new Float64Array(0);
/** Ordinals of the chunks that may still be among the best, rising. */
let held = new Uint32Array(0);

type Found = (chunkId: number, score: number) => void;

/**
 * Concepts that all together could not lift a chunk above the lowest of the best so far are only looked up, for the chunks that the
 * others found: most of a question's words are in far too many chunks to go through them all.
 */
function scoreSegment(segment: VisibleChunks, rows: readonly Row[], found: Found, lowest: () => number): void {
  const { segmentId, capacity, ordinals: seen } = segment;
  if (scores.length < capacity) {
    scores = new Float64Array(capacity);
    bests = new Float64Array(capacity);
    held = new Uint32Array(capacity);
  }
  // Everywhere in the same order, so that equal chunks get the same score to the last digit.
  const sorted = rows.toSorted((one, other) => other.weight - one.weight);
  const least = lowest();
  /** Below this a chunk can't be among the best any more, whatever the concepts from `at` on add. */
  const hopeless = (at: number) => least - sorted.slice(at).reduce((sum, { most }) => sum + most, 0) * ROUNDING;
  const summed = sorted.findIndex((_, at) => hopeless(at) > 0);
  const [needed, others] = summed === -1 ? [sorted, []] : [sorted.slice(0, summed), sorted.slice(summed)];
  for (const { forms } of needed) {
    addConcept(forms, scores, bests);
  }
  const lists = needed.flatMap(({ forms }) => forms.map(({ list }) => list.ordinals));
  const isSparse = lists.reduce((sum, { length }) => sum + length, 0) * SPARSE < capacity;
  const enough = Math.max(hopeless(needed.length), Number.MIN_VALUE);
  let count = isSparse ? holdOf(lists, enough, seen) : holdAbove(enough, capacity, seen);
  for (const [index, { forms }] of others.entries()) {
    count = addToHeld(forms, count, hopeless(needed.length + index + 1));
  }
  const first = chunkId(segmentId, 0);
  for (let at = 0; at < count; at++) {
    const ordinal = held[at] ?? 0;
    found(first + ordinal, scores[ordinal] ?? 0);
  }
  if (isSparse) {
    lists.forEach((ordinals) => setToZero(ordinals, scores));
  } else {
    scores.fill(0, 0, capacity);
  }
}

/** Chunks for each posting from which on it is quicker to go through the postings than through all chunks. */
const SPARSE = 16;

/** Sums in another order differ in their last digits. */
const ROUNDING = 1.000001;

/** As `holdAbove`, of the chunks in the lists. */
function holdOf(lists: readonly Rising[], score: number, seen: Uint8Array | null): number {
  let count = 0;
  for (const ordinals of lists) {
    for (let at = 0; at < ordinals.length; at++) {
      const ordinal = ordinals[at] ?? 0;
      if ((scores[ordinal] ?? 0) >= score && (seen === null || hasBit(seen, ordinal))) {
        held[count++] = ordinal;
      }
    }
  }
  if (lists.length < 2) {
    return count;
  }
  const sorted = held.subarray(0, count).toSorted();
  let kept = 0;
  for (let at = 0; at < count; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) {
      held[kept++] = sorted[at] ?? 0;
    }
  }
  return kept;
}

/** @returns how many are held. */
function holdAbove(score: number, capacity: number, seen: Uint8Array | null): number {
  const [from, to] = [scores, held];
  let count = 0;
  for (let ordinal = 0; ordinal < capacity; ordinal++) {
    if ((from[ordinal] ?? 0) >= score && (seen === null || hasBit(seen, ordinal))) {
      to[count++] = ordinal;
    }
  }
  return count;
}

/** Adds a concept to the first `count` of those held, and goes on holding those that have `score` then. */
function addToHeld(forms: readonly Form[], count: number, score: number): number {
  for (const { list, factor } of forms) {
    lookUp(list, factor, count);
  }
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const ordinal = held[at] ?? 0;
    const sum = (scores[ordinal] ?? 0) + (bests[ordinal] ?? 0);
    bests[ordinal] = 0;
    if (sum >= score) {
      scores[ordinal] = sum;
      held[kept++] = ordinal;
    }
  }
  return kept;
}

function lookUp({ ordinals, impacts }: PackedOut, factor: number, count: number): void {
  const [wanted, best] = [held, bests];
  for (let at = 0, place = 0; at < count && place < ordinals.length; at++) {
    const ordinal = wanted[at] ?? 0;
    place = placeFrom(ordinals, ordinal, place);
    if (ordinals[place] === ordinal) {
      const score = (impacts[place] ?? 0) * factor;
      if (score > (best[ordinal] ?? 0)) {
        best[ordinal] = score;
      }
    }
  }
}

function addConcept(forms: readonly Form[], sums: Float64Array, best: Float64Array): void {
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) {
    addForm(only.list.ordinals, only.list.impacts, only.factor, sums);
    return;
  }
  for (const { list, factor } of forms) {
    addBetterForm(list.ordinals, list.impacts, factor, sums, best);
  }
  for (const { list } of forms) {
    setToZero(list.ordinals, best);
  }
}

function addForm(ordinals: PackedOut["ordinals"], impacts: Uint16Array, factor: number, sums: Float64Array): void {
  for (let at = 0; at < ordinals.length; at++) {
    const ordinal = ordinals[at] ?? 0;
    sums[ordinal] = (sums[ordinal] ?? 0) + (impacts[at] ?? 0) * factor;
  }
}

// oxlint-disable-next-line max-params -- in the innermost loop an object would be made for nothing
function addBetterForm(
  ordinals: PackedOut["ordinals"],
  impacts: Uint16Array,
  factor: number,
  sums: Float64Array,
  best: Float64Array,
): void {
  for (let at = 0; at < ordinals.length; at++) {
    const ordinal = ordinals[at] ?? 0;
    const score = (impacts[at] ?? 0) * factor;
    const before = best[ordinal] ?? 0;
    if (score > before) {
      best[ordinal] = score;
      sums[ordinal] = (sums[ordinal] ?? 0) + score - before;
    }
  }
}

function setToZero(ordinals: Rising, values: Float64Array): void {
  for (let at = 0; at < ordinals.length; at++) {
    values[ordinals[at] ?? 0] = 0;
  }
}

function isSeen({ ordinals }: VisibleChunks, ordinal: number): boolean {
  return ordinals === null || hasBit(ordinals, ordinal);
}
