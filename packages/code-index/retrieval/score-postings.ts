import { chunkId, SEGMENT_CAPACITY } from "#store/chunk-id.ts";
import type { PostingsRow } from "#store/read-postings.store.ts";
import { decodeVisible, type VisiblePostings } from "./decode-visible.ts";
import type { Concept } from "./query.ts";
import type { VisibleChunks } from "./visible-chunks.ts";

type ScoredChunk = { readonly chunkId: number; readonly score: number };

export type Scores = {
  /** The best `limit` chunks, best first. */
  readonly top: (limit: number, isWanted?: (chunkId: number) => boolean) => readonly ScoredChunk[];
  /** Which part of what the query asks for a chunk holds, rare words counting more; 0 to 1. */
  readonly coverageOf: (chunkId: number) => number;
};

type Scoring = {
  readonly concepts: readonly Concept[];
  readonly segments: readonly VisibleChunks[];
  readonly postings: readonly PostingsRow[];
};

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/**
 * BM25 over the chunks that are seen and hold a term of the query. How rare a concept is counts over the chunks
 * seen, so nobody learns from scores what others have; how long a chunk is was counted
 * when it was written. A chunk gets each concept once, by the form that serves it best.
 */
export function scorePostings({ concepts, segments, postings }: Scoring): Scores {
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const bySegment = Map.groupBy(postings, (row) => row.segment_id);
  const found = segments.map((segment) => ({ segment, rows: decodeRows(segment, bySegment.get(segment.segmentId) ?? []) }));
  const frequencies = frequenciesOf(found.map(({ rows }) => rows));
  const weights = concepts.map((concept) => concept.weight * rarity(concept, frequencies, total));
  const coverable = weights.reduce((sum, weight) => sum + weight, 0);
  const scored = new Map(
    found
      .filter(({ rows }) => rows.size > 0)
      .map(({ segment, rows }) => [segment.segmentId, scoreSegment({ concepts, weights, rows, capacity: segment.capacity })]),
  );
  return {
    top: (limit, isWanted) => topOf(scored, limit, isWanted),
    coverageOf: (id) => (scored.get(Math.floor(id / SEGMENT_CAPACITY))?.covered[id % SEGMENT_CAPACITY] ?? 0) / (coverable || 1),
  };
}

type Rows = ReadonlyMap<string, VisiblePostings>;

/** By term, without the chunks that are not seen. */
function decodeRows({ ordinals }: VisibleChunks, rows: readonly PostingsRow[]): Rows {
  return new Map(rows.map((row) => [row.term, decodeVisible(row, ordinals)]));
}

/** In how many of the chunks seen each term is. */
function frequenciesOf(segments: readonly Rows[]): ReadonlyMap<string, number> {
  const frequencies = new Map<string, number>();
  for (const rows of segments) {
    for (const [term, { count }] of rows) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + count);
    }
  }
  return frequencies;
}

/** The inverse document frequency of a concept: that of its commonest form; 0 for one that is nowhere. */
function rarity({ terms }: Concept, frequencies: ReadonlyMap<string, number>, total: number): number {
  const frequency = Math.max(0, ...terms.map((term) => frequencies.get(term) ?? 0));
  return frequency === 0 ? 0 : Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

type Segment = {
  readonly concepts: readonly Concept[];
  readonly weights: readonly number[];
  readonly rows: Rows;
  readonly capacity: number;
};

/** By ordinal. */
type SegmentScores = { readonly scores: Float64Array; readonly covered: Float64Array };

function scoreSegment({ concepts, weights, rows, capacity }: Segment): SegmentScores {
  const scores = new Float64Array(capacity);
  const covered = new Float64Array(capacity);
  const best = new Float64Array(capacity);
  concepts.forEach(({ terms }, index) => {
    const weight = weights[index] ?? 0;
    const forms = terms.flatMap((term, form) => {
      const row = rows.get(term);
      return row === undefined ? [] : [{ row, factor: weight * (form === 0 ? 1 : VARIANT_WEIGHT) }];
    });
    forms.forEach(({ row: { count, ordinals, impacts }, factor }) => {
      for (let at = 0; at < count; at++) {
        const ordinal = ordinals[at] ?? 0;
        const score = (impacts[at] ?? 0) * factor;
        const before = best[ordinal] ?? 0;
        if (score > before) {
          best[ordinal] = score;
          scores[ordinal] = (scores[ordinal] ?? 0) + score - before;
          covered[ordinal] = (covered[ordinal] ?? 0) + (before === 0 ? weight : 0);
        }
      }
    });
    for (const { row } of forms) {
      for (let at = 0; at < row.count; at++) {
        best[row.ordinals[at] ?? 0] = 0;
      }
    }
  });
  return { scores, covered };
}

function topOf(scored: ReadonlyMap<number, SegmentScores>, limit: number, isWanted?: (chunkId: number) => boolean): readonly ScoredChunk[] {
  let top: ScoredChunk[] = [];
  let lowest = 0;
  for (const [segmentId, { scores }] of scored) {
    const first = chunkId(segmentId, 0);
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      const score = scores[ordinal] ?? 0;
      if (score > lowest && (isWanted === undefined || isWanted(first + ordinal))) {
        top.push({ chunkId: first + ordinal, score });
        // Sorting now and then is cheaper than keeping the list in order for every chunk.
        if (top.length >= limit * 4 + 1_000) {
          top = bestOf(top, limit);
          lowest = top.length < limit ? 0 : (top.at(-1)?.score ?? 0);
        }
      }
    }
  }
  return bestOf(top, limit);
}

function bestOf(chunks: readonly ScoredChunk[], limit: number): ScoredChunk[] {
  return chunks.toSorted((one, other) => other.score - one.score || one.chunkId - other.chunkId).slice(0, limit);
}
