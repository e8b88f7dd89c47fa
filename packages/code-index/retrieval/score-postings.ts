import { chunkId, SEGMENT_CAPACITY } from "#store/chunk-id.ts";
import { decodePostings } from "#store/postings.ts";
import type { PostingsRow } from "#store/read-postings.store.ts";
import type { Concept } from "./query.ts";
import { isSeen, type VisibleChunks } from "./visible-chunks.ts";

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
  const frequencies = frequenciesOf(segments, bySegment);
  const weights = concepts.map((concept) => concept.weight * rarity(concept, frequencies, total));
  const coverable = weights.reduce((sum, weight) => sum + weight, 0);
  const scored = new Map<number, SegmentScores>();
  for (const segment of segments) {
    const rows = bySegment.get(segment.segmentId);
    if (rows !== undefined) {
      scored.set(segment.segmentId, scoreSegment({ concepts, weights, rows, segment }));
    }
  }
  return {
    top: (limit, isWanted = () => true) => topOf(scored, limit, isWanted),
    coverageOf: (id) => (scored.get(Math.floor(id / SEGMENT_CAPACITY))?.covered[id % SEGMENT_CAPACITY] ?? 0) / (coverable || 1),
  };
}

/** In how many of the chunks seen each term is. */
function frequenciesOf(
  segments: readonly VisibleChunks[],
  bySegment: ReadonlyMap<number, readonly PostingsRow[]>,
): ReadonlyMap<string, number> {
  const frequencies = new Map<string, number>();
  for (const { segmentId, ordinals } of segments) {
    for (const { term, df, docs } of bySegment.get(segmentId) ?? []) {
      let seen = ordinals === null ? df : 0;
      if (ordinals !== null) {
        decodePostings(docs, (ordinal) => {
          seen += isSeen(ordinals, ordinal) ? 1 : 0;
        });
      }
      frequencies.set(term, (frequencies.get(term) ?? 0) + seen);
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
  readonly rows: readonly PostingsRow[];
  readonly segment: VisibleChunks;
};

/** By ordinal. */
type SegmentScores = { readonly scores: Float64Array; readonly covered: Float64Array };

function scoreSegment({ concepts, weights, rows, segment: { capacity, ordinals } }: Segment): SegmentScores {
  const byTerm = new Map(rows.map((row) => [row.term, row]));
  const scores = new Float64Array(capacity);
  const covered = new Float64Array(capacity);
  const best = new Float64Array(capacity);
  concepts.forEach((concept, index) => {
    best.fill(0);
    const weight = weights[index] ?? 0;
    concept.terms.forEach((term, form) => {
      const row = byTerm.get(term);
      if (row !== undefined) {
        const factor = weight * (form === 0 ? 1 : VARIANT_WEIGHT);
        decodePostings(row.docs, (ordinal, impact) => {
          const score = impact * factor;
          const before = best[ordinal] ?? 0;
          if (score > before && isSeen(ordinals, ordinal)) {
            best[ordinal] = score;
            scores[ordinal] = (scores[ordinal] ?? 0) + score - before;
            covered[ordinal] = (covered[ordinal] ?? 0) + (before === 0 ? weight : 0);
          }
        });
      }
    });
  });
  return { scores, covered };
}

function topOf(scored: ReadonlyMap<number, SegmentScores>, limit: number, isWanted: (chunkId: number) => boolean): readonly ScoredChunk[] {
  let top: ScoredChunk[] = [];
  let lowest = 0;
  for (const [segmentId, { scores }] of scored) {
    scores.forEach((score, ordinal) => {
      const id = chunkId(segmentId, ordinal);
      if (score > lowest && isWanted(id)) {
        top.push({ chunkId: id, score });
        // Sorting now and then is cheaper than keeping the list in order for every chunk.
        if (top.length >= limit * 4 + 1_000) {
          top = bestOf(top, limit);
          lowest = top.at(-1)?.score ?? 0;
        }
      }
    });
  }
  return bestOf(top, limit);
}

function bestOf(chunks: readonly ScoredChunk[], limit: number): ScoredChunk[] {
  return chunks.toSorted((one, other) => other.score - one.score || one.chunkId - other.chunkId).slice(0, limit);
}
