import { chunkId, SEGMENT_CAPACITY } from "#store/chunk-id.ts";
import { decodePostings } from "#store/postings.ts";
import type { PostingsRow, VisibleSegment } from "#store/read-postings.store.ts";
import type { Concept } from "./query.ts";

type ScoredChunk = { readonly chunkId: number; readonly score: number };

export type Scores = {
  /** The best `limit` chunks, best first. */
  readonly top: (limit: number, isWanted?: (chunkId: number) => boolean) => readonly ScoredChunk[];
  /** Which part of what the query asks for a chunk holds, rare words counting more; 0 to 1. */
  readonly coverageOf: (chunkId: number) => number;
};

type Scoring = {
  readonly concepts: readonly Concept[];
  readonly segments: readonly VisibleSegment[];
  readonly postings: readonly PostingsRow[];
};

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/**
 * BM25 over all chunks that hold a term of the query. How rare a concept is counts over the segments given,
 * which are those the asker may see, so nobody learns from scores what others have. A chunk gets each concept
 * once, by the form that serves it best.
 */
export function scorePostings({ concepts, segments, postings }: Scoring): Scores {
  const total = segments.reduce((sum, segment) => sum + segment.chunks, 0);
  const byTerm = Map.groupBy(postings, (row) => row.term);
  const weights = concepts.map((concept) => concept.weight * rarity(concept, byTerm, total));
  const coverable = weights.reduce((sum, weight) => sum + weight, 0);
  const bySegment = new Map<number, Map<string, PostingsRow>>();
  for (const row of postings) {
    const rows = bySegment.get(row.segment_id) ?? new Map<string, PostingsRow>();
    bySegment.set(row.segment_id, rows.set(row.term, row));
  }
  const scored = new Map<number, SegmentScores>();
  for (const { segment_id: segmentId, chunks } of segments) {
    const rows = bySegment.get(segmentId);
    if (rows !== undefined) {
      scored.set(segmentId, scoreSegment({ concepts, weights, rows, chunks }));
    }
  }
  return {
    top: (limit, isWanted = () => true) => topOf(scored, limit, isWanted),
    coverageOf: (id) => (scored.get(Math.floor(id / SEGMENT_CAPACITY))?.covered[id % SEGMENT_CAPACITY] ?? 0) / (coverable || 1),
  };
}

/** The inverse document frequency of a concept: that of its commonest form; 0 for one that is nowhere. */
function rarity({ terms }: Concept, byTerm: ReadonlyMap<string, readonly PostingsRow[]>, total: number): number {
  const frequencies = terms.map((term) => (byTerm.get(term) ?? []).reduce((sum, row) => sum + row.df, 0));
  const frequency = Math.max(0, ...frequencies);
  return frequency === 0 ? 0 : Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

type Segment = {
  readonly concepts: readonly Concept[];
  readonly weights: readonly number[];
  readonly rows: ReadonlyMap<string, PostingsRow>;
  readonly chunks: number;
};

/** By ordinal. */
type SegmentScores = { readonly scores: Float64Array; readonly covered: Float64Array };

function scoreSegment({ concepts, weights, rows, chunks }: Segment): SegmentScores {
  const scores = new Float64Array(chunks);
  const covered = new Float64Array(chunks);
  const best = new Float64Array(chunks);
  concepts.forEach((concept, index) => {
    best.fill(0);
    const weight = weights[index] ?? 0;
    concept.terms.forEach((term, form) => {
      const row = rows.get(term);
      if (row !== undefined) {
        const factor = weight * (form === 0 ? 1 : VARIANT_WEIGHT);
        decodePostings(row.docs, (ordinal, impact) => {
          const score = impact * factor;
          const before = best[ordinal] ?? 0;
          if (score > before) {
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
