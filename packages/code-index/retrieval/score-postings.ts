import { hasBit } from "#store/bitmap.ts";
import { SEGMENT_CAPACITY } from "#store/chunk-id.ts";
import { IMPACT_STEP, type PackedOut } from "#store/postings.ts";
import { placeFrom } from "./intersect.ts";
import { createPace } from "./pace.ts";
import type { Concept } from "./query.ts";
import { ROUNDING, scoreSegment, type Form, type Found, type Row } from "./score-segment.ts";
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

/** How long the database waits for this process, which asks it for the other legs meanwhile. */
const TURN_MS = 2;

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/**
 * BM25 over the chunks that are seen and hold a term of the query. How rare a concept is counts over the chunks
 * seen, so nobody learns from scores what others have; how long a chunk is was counted
 * when it was written. A chunk gets each concept once, by the form that serves it best.
 */
export async function scorePostings({ concepts, segments, postings, limit, isWanted }: Scoring): Promise<Scores> {
  const pace = createPace(TURN_MS);
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
    await pace();
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
      const holds = ({ forms }: Row) => forms.some(({ list: { ordinals } }) => ordinals[placeFrom(ordinals, ordinal, 0)] === ordinal);
      return own.rows.reduce((sum, row) => sum + (holds(row) ? row.weight : 0), 0) / (coverable || 1);
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

function isSeen({ ordinals }: VisibleChunks, ordinal: number): boolean {
  return ordinals === null || hasBit(ordinals, ordinal);
}
