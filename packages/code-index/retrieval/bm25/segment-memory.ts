import { LRUCache } from "lru-cache";
import { boundColumns, unpackPostings, type BoundedColumns } from "#store/index/postings.ts";
import {
  createIndexMemory,
  recall,
  shareOfMemory,
  type BySegment,
  type IndexMemory,
  type Reading,
  type Remembered,
} from "#retrieval/scope/index-memory.ts";
import { readPostings, type PostingsRow } from "#retrieval/scope/read-postings.store.ts";
import type { SeenCounts } from "./count-seen.ts";
import { createJoinScratch, joinForms, type JoinScratch } from "./join-forms.ts";
import { createScoreScratch, type ScoreScratch } from "./score-segment.ts";
import type { QueryTerm } from "#retrieval/query/parse-query.ts";

/** What is kept for all tenants together at the most. */
const POSTINGS_BYTES = shareOfMemory(1 / 32);

/** What a process that searches keeps between searches, and the buffers that its searches reuse. */
export type SegmentMemory = IndexMemory & {
  readonly joinScratch: JoinScratch;
  readonly scoreScratch: ScoreScratch;
  readonly seenCounts: SeenCounts;
  readonly postings: Remembered<BoundedColumns>;
};

export function createSegmentMemory(): SegmentMemory {
  return {
    ...createIndexMemory(),
    joinScratch: createJoinScratch(),
    scoreScratch: createScoreScratch(),
    seenCounts: new WeakMap(),
    postings: { memory: new LRUCache<string, BySegment<BoundedColumns>>({ maxSize: POSTINGS_BYTES }), reading: new Map() },
  };
}

/** The chunks that hold a term, by segment, each by the form that serves it best; segments that nobody asked for may be among them. */
export type TermPostings = ReadonlyMap<number, BoundedColumns | null>;

/** The postings of each term in the segments, read from the database only where this process does not have them. */
export async function loadPostings(reading: Reading<SegmentMemory>, queryTerms: readonly QueryTerm[]): Promise<readonly TermPostings[]> {
  const { memory, read, scope, segments } = reading;
  const capacities = new Map(segments.map(({ segmentId, capacity }) => [segmentId, capacity]));
  const keys = queryTerms.map(({ terms }) => terms.join(" "));
  const known = await recall({
    ...memory.postings,
    segments,
    keys,
    bytesOf: ({ ordinals, impacts, blockUpperBounds }) => ordinals.byteLength + impacts.byteLength + (blockUpperBounds?.byteLength ?? 0),
    read: async (wanted, segmentIds) => {
      const terms = [...new Set(wanted.flatMap((key) => key.split(" ")))];
      const rows = await read((transaction) => readPostings(transaction, scope, { terms, segments: segmentIds }));
      const bySegment = [...Map.groupBy(rows, (row) => row.segment_id)];
      return (key) => {
        const forms = key.split(" ");
        return new Map(
          bySegment.flatMap(([segmentId, own]) => {
            const held = forms.map((term) => own.find((row) => row.term === term));
            return held.some((row) => row !== undefined)
              ? [[segmentId, joinRows(memory.joinScratch, held, capacities.get(segmentId) ?? 0)]]
              : [];
          }),
        );
      };
    },
  });
  return keys.map((key) => known.get(key) ?? new Map<number, BoundedColumns | null>());
}

function joinRows(scratch: JoinScratch, forms: readonly (PostingsRow | undefined)[], capacity: number): BoundedColumns {
  const lists = forms.map((row) => row && unpackPostings(row.docs, row.df, capacity));
  return boundColumns(joinForms(scratch, lists, capacity), capacity);
}
