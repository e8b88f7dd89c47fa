import { yieldEvery } from "@sightline/foundation/yield-every";
import { hasBit } from "#store/index/bitmap.ts";
import { SEGMENT_CAPACITY, IMPACT_STEP } from "#store/index/postings.ts";
import { countSeen, type SeenCounts } from "./count-seen.ts";
import { placeFrom } from "#store/index/intersect.ts";
import { ROUNDING, scoreSegment, type Row } from "./score-segment.ts";
import type { SegmentMemory, TermPostings } from "./segment-memory.ts";
import { createTop, type ScoredChunk } from "./top.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

export type Scores = WordScores & {
  /** The best chunks, best first. */
  readonly best: readonly ScoredChunk[];
};

/** How chunks hold the query's words. */
export type WordScores = {
  /** What each of the query's terms weighs: its own weight times its inverse document frequency. */
  readonly weights: readonly number[];
  /**
   * What each of the query's terms adds to the BM25 score of a chunk, in their order; 0 for those that it does not hold. Of any chunk,
   * also of one that is not among the best.
   */
  readonly contributionsOf: (chunkId: number) => readonly number[];
};

/** A term of the query with the chunks that hold it. */
export type WeightedPostings = { readonly weight: number; readonly postings: TermPostings };

type Scoring = {
  readonly memory: Pick<SegmentMemory, "scoreScratch" | "seenCounts">;
  readonly queryTerms: readonly WeightedPostings[];
  readonly segments: readonly VisibleChunks[];
  readonly limit: number;
  readonly isWanted?: (chunkId: number) => boolean;
};

/** Short, since the event loop also drives the statements of the other legs. */
const MAX_BLOCKING_MS = 2;

/**
 * BM25 over the visible chunks that hold a term of the query. The inverse document frequency counts visible chunks only, so that scores
 * reveal nothing about other people's code; the length of a chunk is already part of its postings.
 */
export async function scorePostings({ memory, queryTerms, segments, limit, isWanted }: Scoring): Promise<Scores> {
  const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const weights = queryTerms.map((queryTerm) => queryTerm.weight * idf(memory.seenCounts, queryTerm, { segments, total }));
  const top = createTop(limit);
  const found = (id: number, score: number) => {
    if (isWanted === undefined || isWanted(id)) {
      top.offer(id, score);
    }
  };
  const promising = segments
    .map((segment) => {
      const rows = rowsOf(segment, queryTerms, weights);
      return { segment, rows, upperBound: rows.reduce((sum, row) => sum + row.upperBound, 0) };
    })
    .toSorted((one, other) => other.upperBound - one.upperBound);
  for (const { segment, rows, upperBound } of promising) {
    if (upperBound === 0 || upperBound * ROUNDING < top.lowest()) {
      break;
    }
    await yieldToEventLoop();
    scoreSegment(memory.scoreScratch, segment, rows, { found, lowest: top.lowest });
  }
  const bySegment = new Map(promising.map(({ segment, rows }) => [segment.segmentId, { segment, rows }]));
  return {
    best: top.sorted(),
    weights,
    contributionsOf: (id) => {
      const contributions = queryTerms.map(() => 0);
      const own = bySegment.get(Math.floor(id / SEGMENT_CAPACITY));
      const ordinal = id % SEGMENT_CAPACITY;
      if (own !== undefined && isSeen(own.segment, ordinal)) {
        for (const { term, list, factor } of own.rows) {
          const place = placeFrom(list.ordinals, ordinal, 0);
          if (list.ordinals[place] === ordinal) {
            contributions[term] = (list.impacts[place] ?? 0) * factor;
          }
        }
      }
      return contributions;
    },
  };
}

/** The inverse document frequency of a term among the visible chunks; 0 for a term that none holds. */
function idf(
  counts: SeenCounts,
  { postings }: WeightedPostings,
  { segments, total }: { readonly segments: readonly VisibleChunks[]; readonly total: number },
): number {
  let frequency = 0;
  for (const segment of segments) {
    const list = postings.get(segment.segmentId) ?? undefined;
    frequency += list === undefined ? 0 : countSeen(counts, list, segment);
  }
  return frequency === 0 ? 0 : Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

function rowsOf({ segmentId }: VisibleChunks, queryTerms: readonly WeightedPostings[], weights: readonly number[]): readonly Row[] {
  return queryTerms.flatMap(({ postings }, index) => {
    const list = postings.get(segmentId) ?? undefined;
    if (list === undefined) {
      return [];
    }
    const weight = weights[index] ?? 0;
    const factor = IMPACT_STEP * weight;
    return [{ term: index, weight, list, factor, upperBound: list.upperBound * factor }];
  });
}

function isSeen({ ordinals }: VisibleChunks, ordinal: number): boolean {
  return ordinals === null || hasBit(ordinals, ordinal);
}
