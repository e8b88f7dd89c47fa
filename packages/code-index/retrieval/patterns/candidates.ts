import { hasBit } from "#store/index/bitmap.ts";
import { chunkId, SEGMENT_CAPACITY } from "#store/index/postings.ts";
import { chunksHolding, type HeldText } from "#retrieval/scope/read-chunks.store.ts";
import { readTrigrams } from "#retrieval/scope/read-postings.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { findChunks, trigramsIn } from "./trigram-query.ts";
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
      const ordinals = findChunks(condition, { blocks: blocksOf.get(segmentId) ?? [], isMultiline });
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

/** So few are read as they are. */
const FEW = 300;
/** Comparing more than this takes seconds; going through the files in order has some soon. */
const MANY = 60_000;
const BATCH = 10_000;

type Narrowing = {
  readonly candidates: Candidates | undefined;
  /** What is looked for, where it is a text. */
  readonly held: HeldText | undefined;
  /** So many chunks that hold it are enough: where a sample promises more, the first of them are soon found as it is. */
  readonly enough: number;
  /** When to give up, by `performance.now()`. */
  readonly until: number;
};

/**
 * Leaves of the candidates those whose text holds what is looked for, where that is worth its time. Letters that common words share,
 * as in `deleteState`, are in a hundred times as many chunks as the whole: the database compares those in a fraction of the time in
 * which their files are read.
 */
export async function narrowByText(query: TenantQuery, scope: Scope, narrowing: Narrowing): Promise<Candidates | undefined> {
  const { candidates, held, enough, until } = narrowing;
  if (candidates === undefined || held === undefined || candidates.count <= FEW || candidates.count > MANY) {
    return candidates;
  }
  const all = candidates.chunkIds();
  const sample = Array.from({ length: FEW }, (_, place) => all[Math.floor((place * all.length) / FEW)] ?? 0);
  const share = (await chunksHolding(query, scope, { held, among: sample })).length / FEW;
  if (share > 1 / 2 || share * all.length > enough) {
    return candidates;
  }
  const kept: number[] = [];
  for (let from = 0; from < all.length; from += BATCH) {
    if (performance.now() > until) {
      return candidates;
    }
    kept.push(...(await chunksHolding(query, scope, { held, among: all.slice(from, from + BATCH) })));
  }
  const set = new Set(kept);
  return { count: kept.length, chunkIds: () => kept, has: (id) => set.has(id) };
}
