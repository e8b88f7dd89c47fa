import { chunkId } from "#store/chunk-id.ts";
import { decodePostings } from "#store/postings.ts";
import type { PostingsRow, VisibleSegment } from "#store/read-postings.store.ts";
import type { Concept } from "./query.ts";

export type ScoredChunk = { readonly chunkId: number; readonly score: number };

type Scoring = {
  readonly concepts: readonly Concept[];
  readonly segments: readonly VisibleSegment[];
  readonly postings: readonly PostingsRow[];
};

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/**
 * BM25 over all chunks that hold a term of the query, best first. How rare a concept is counts over
 * the segments given, which are those the asker may see, so nobody learns from scores what others have.
 * A chunk gets each concept once, by the form that serves it best.
 */
export function scorePostings({ concepts, segments, postings }: Scoring): readonly ScoredChunk[] {
  const total = segments.reduce((sum, segment) => sum + segment.chunks, 0);
  const byTerm = Map.groupBy(postings, (row) => row.term);
  const weights = concepts.map((concept) => concept.weight * rarity(concept, byTerm, total));
  const bySegment = new Map<number, Map<string, PostingsRow>>();
  for (const row of postings) {
    const rows = bySegment.get(row.segment_id) ?? new Map<string, PostingsRow>();
    bySegment.set(row.segment_id, rows.set(row.term, row));
  }

  const scored: ScoredChunk[] = [];
  for (const { segment_id: segmentId, chunks } of segments) {
    const rows = bySegment.get(segmentId);
    if (rows !== undefined) {
      const scores = scoreSegment({ concepts, weights, rows, chunks });
      scores.forEach((score, ordinal) => {
        if (score > 0) {
          scored.push({ chunkId: chunkId(segmentId, ordinal), score });
        }
      });
    }
  }
  return scored.toSorted((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** The inverse document frequency of a concept: that of its commonest form. */
function rarity({ terms }: Concept, byTerm: ReadonlyMap<string, readonly PostingsRow[]>, total: number): number {
  const frequencies = terms.map((term) => (byTerm.get(term) ?? []).reduce((sum, row) => sum + row.df, 0));
  const frequency = Math.max(0, ...frequencies);
  return Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

type Segment = {
  readonly concepts: readonly Concept[];
  readonly weights: readonly number[];
  readonly rows: ReadonlyMap<string, PostingsRow>;
  readonly chunks: number;
};

function scoreSegment({ concepts, weights, rows, chunks }: Segment): Float64Array {
  const scores = new Float64Array(chunks);
  const best = new Float64Array(chunks);
  concepts.forEach((concept, index) => {
    best.fill(0);
    concept.terms.forEach((term, form) => {
      const row = rows.get(term);
      if (row !== undefined) {
        const factor = (weights[index] ?? 0) * (form === 0 ? 1 : VARIANT_WEIGHT);
        decodePostings(row.docs, (ordinal, impact) => {
          const score = impact * factor;
          const before = best[ordinal] ?? 0;
          if (score > before) {
            best[ordinal] = score;
            scores[ordinal] = (scores[ordinal] ?? 0) + score - before;
          }
        });
      }
    });
  });
  return scores;
}
