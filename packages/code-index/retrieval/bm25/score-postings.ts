import { yieldEvery } from "@sightline/foundation/yield-every";
import { hasBit } from "#store/index/bitmap.ts";
import { SEGMENT_CAPACITY, IMPACT_STEP } from "#store/index/postings.ts";
import { countSeen } from "./count-seen.ts";
import { placeFrom } from "./intersect.ts";
import { ROUNDING, scoreSegment, type Found, type Row } from "./score-segment.ts";
import type { ConceptPostings } from "./segment-memory.ts";
import { createTop, type ScoredChunk } from "./top.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

export type Scores = {
  /** The best chunks, best first. */
  readonly best: readonly ScoredChunk[];
  /** Which part of what the query asks for a chunk holds, rare words counting more; 0 to 1. */
  readonly coverageOf: (chunkId: number) => number;
};

/** What a query asks for, as the chunks hold it. */
export type Sought = { readonly weight: number; readonly postings: ConceptPostings };

type Scoring = {
  readonly concepts: readonly Sought[];
  readonly segments: readonly VisibleChunks[];
  readonly limit: number;
  readonly isWanted?: (chunkId: number) => boolean;
};

/** How long the database waits for this process, which asks it for the other legs meanwhile. */
const TURN_MS = 2;

/**
 * BM25 over the chunks that are seen and hold a term of the query. How rare a concept is counts over the chunks
 * seen, so nobody learns from scores what others have; how long a chunk is was counted
 * when it was written.
 */
export async function scorePostings({ concepts, segments, limit, isWanted }: Scoring): Promise<Scores> {
  const turn = yieldEvery(TURN_MS);
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const weights = concepts.map((concept) => concept.weight * rarity(concept, segments, total));
  const coverable = weights.reduce((sum, weight) => sum + weight, 0);
  const top = createTop(limit);
  const found: Found = (id, score) => {
    if (isWanted === undefined || isWanted(id)) {
      top.offer(id, score);
    }
  };
  const promising = segments
    .map((segment) => {
      const rows = rowsOf(segment, concepts, weights);
      return { segment, rows, most: rows.reduce((sum, row) => sum + row.most, 0) };
    })
    .toSorted((one, other) => other.most - one.most);
  for (const { segment, rows, most } of promising) {
    if (most === 0 || most * ROUNDING < top.lowest()) {
      break;
    }
    await turn();
    scoreSegment(segment, rows, found, top.lowest);
  }
  const bySegment = new Map(promising.map(({ segment, rows }) => [segment.segmentId, { segment, rows }]));
  return {
    best: top.sorted(),
    coverageOf: (id) => {
      const own = bySegment.get(Math.floor(id / SEGMENT_CAPACITY));
      const ordinal = id % SEGMENT_CAPACITY;
      if (own === undefined || !isSeen(own.segment, ordinal)) {
        return 0;
      }
      const holds = ({ list: { ordinals } }: Row) => ordinals[placeFrom(ordinals, ordinal, 0)] === ordinal;
      return own.rows.reduce((sum, row) => sum + (holds(row) ? row.weight : 0), 0) / (coverable || 1);
    },
  };
}

/** The inverse document frequency of a concept among the chunks seen; 0 for one that is nowhere. */
function rarity({ postings }: Sought, segments: readonly VisibleChunks[], total: number): number {
  let frequency = 0;
  for (const segment of segments) {
    const list = postings.get(segment.segmentId) ?? undefined;
    frequency += list === undefined ? 0 : countSeen(list, segment);
  }
  return frequency === 0 ? 0 : Math.log(1 + (Math.max(0, total - frequency) + 0.5) / (frequency + 0.5));
}

function rowsOf({ segmentId }: VisibleChunks, concepts: readonly Sought[], weights: readonly number[]): readonly Row[] {
  return concepts.flatMap(({ postings }, index) => {
    const list = postings.get(segmentId) ?? undefined;
    if (list === undefined) {
      return [];
    }
    const weight = weights[index] ?? 0;
    const factor = IMPACT_STEP * weight;
    return [{ weight, list, factor, most: list.most * factor }];
  });
}

function isSeen({ ordinals }: VisibleChunks, ordinal: number): boolean {
  return ordinals === null || hasBit(ordinals, ordinal);
}
