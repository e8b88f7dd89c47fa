import { hasBit } from "#store/index/bitmap.ts";
import { chunkId, SEGMENT_CAPACITY } from "#store/index/postings.ts";
import { readTrigrams } from "#retrieval/scope/read-postings.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { chunksOf, trigramsIn } from "./trigram-query.ts";
import type { Pattern } from "./compile-pattern.ts";
import { readVisible } from "#retrieval/scope/visible-chunks.ts";

/** The chunks that may hold a match: too many rather than too few. */
export type Candidates = {
  readonly count: number;
  readonly has: (chunkId: number) => boolean;
  readonly chunkIds: () => readonly number[];
};

/** Narrows the chunks down by trigrams; `undefined` when they can't, and every chunk may match. */
export async function findCandidates(
  query: TenantQuery,
  scope: Scope,
  { trigrams: condition, isMultiline }: Pick<Pattern, "trigrams" | "isMultiline">,
): Promise<Candidates | undefined> {
  if (condition.kind === "any") {
    return undefined;
  }
  const trigrams = trigramsIn(condition);
  const segments = await readVisible(query, scope);
  const rows = await readTrigrams(query, scope, { trigrams, segments: segments.map(({ segmentId }) => segmentId) });
  const blocksOf = Map.groupBy(rows, (row) => row.segment_id);
  const found = new Map(
    segments.map(({ segmentId, ordinals: seen }) => {
      const ordinals = chunksOf(condition, { blocks: blocksOf.get(segmentId) ?? [], isMultiline });
      return [segmentId, seen === null ? ordinals : ordinals.filter((ordinal) => hasBit(seen, ordinal))];
    }),
  );
  const sets = new Map<number, ReadonlySet<number>>();
  return {
    count: [...found.values()].reduce((sum, ordinals) => sum + ordinals.length, 0),
    chunkIds: () => [...found].flatMap(([segmentId, ordinals]) => ordinals.map((ordinal) => chunkId(segmentId, ordinal))),
    has: (id) => {
      const segmentId = Math.floor(id / SEGMENT_CAPACITY);
      const set = sets.get(segmentId) ?? new Set(found.get(segmentId));
      sets.set(segmentId, set);
      return set.has(id % SEGMENT_CAPACITY);
    },
  };
}
