import { hasBit } from "#store/index/bitmap.ts";
import { chunkId, SEGMENT_CAPACITY } from "#store/index/postings.ts";
import { loadTrigramLists, type IndexMemory } from "#retrieval/scope/index-memory.ts";
import { chunksHolding, type HeldText } from "#retrieval/scope/read-chunks.store.ts";
import { visibleSegments } from "#retrieval/scope/read-postings.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { findChunks, trigramsIn } from "./trigram-query.ts";
import type { Pattern } from "./compile-pattern.ts";
import { joinVisible } from "#retrieval/scope/visible-chunks.ts";

/** The chunks that may hold a match: too many rather than too few. */
export type Candidates = {
  readonly count: number;
  /** As `VisibleSegment` has it. */
  readonly home: number;
  readonly has: (chunkId: number) => boolean;
  readonly chunkIds: () => readonly number[];
  /** How many of the builds, one at least, have up to `size` candidates together, and those; more where the first alone has. */
  readonly firstOf: (
    generations: readonly (number | null)[],
    size: number,
  ) => { readonly builds: number; readonly chunkIds: readonly number[] };
  readonly only: (chunkIds: readonly number[]) => Candidates;
};

type BySegment<Of> = ReadonlyMap<number, readonly Of[]>;

/** @param segmentsOf by generation */
function createCandidates(home: number, ids: BySegment<number>, segmentsOf: BySegment<number>): Candidates {
  const sets = new Map<number, ReadonlySet<number>>();
  return {
    home,
    count: [...ids.values()].reduce((sum, { length }) => sum + length, 0),
    chunkIds: () => [...ids.values()].flat(),
    firstOf: (generations, size) => {
      const segments = new Set<number>();
      let count = 0;
      let builds = 0;
      for (const generation of generations) {
        const more = (segmentsOf.get(generation ?? -1) ?? []).filter((segmentId) => !segments.has(segmentId));
        count += more.reduce((sum, segmentId) => sum + (ids.get(segmentId)?.length ?? 0), 0);
        if (builds > 0 && count > size) {
          break;
        }
        builds++;
        more.forEach((segmentId) => segments.add(segmentId));
      }
      return { builds, chunkIds: [...segments].flatMap((segmentId) => ids.get(segmentId) ?? []) };
    },
    only: (chunkIds) => createCandidates(home, Map.groupBy(chunkIds, segmentOf), segmentsOf),
    has: (id) => {
      const segmentId = segmentOf(id);
      const set = sets.get(segmentId) ?? new Set(ids.get(segmentId));
      sets.set(segmentId, set);
      return set.has(id);
    },
  };
}

function segmentOf(id: number): number {
  return Math.floor(id / SEGMENT_CAPACITY);
}

/** Narrows the chunks down by trigrams; `undefined` when they can't, and every chunk may match. */
export async function findCandidates(
  query: TenantQuery,
  scope: Scope,
  { trigrams: condition, isMultiline, memory }: Pick<Pattern, "trigrams" | "isMultiline"> & { readonly memory: IndexMemory },
): Promise<Candidates | undefined> {
  if (condition.kind === "any") {
    return undefined;
  }
  const visible = await visibleSegments(query, scope);
  const segments = joinVisible(visible);
  const lists = await loadTrigramLists({ memory, scope, segments, read: (work) => work(query) }, trigramsIn(condition));
  const ids = segments.map(({ segmentId, ordinals: seen }) => {
    const ordinals = findChunks(condition, { listOf: (trigram) => lists.get(trigram)?.get(segmentId) ?? undefined, isMultiline });
    const held = Array.from(seen === null ? ordinals : ordinals.filter((ordinal) => hasBit(seen, ordinal)));
    return [segmentId, held.map((ordinal) => chunkId(segmentId, ordinal))] as const;
  });
  const byBuild = Map.groupBy(visible, ({ generation }) => generation);
  const home = segments[0]?.home ?? 0;
  return createCandidates(
    home,
    new Map(ids),
    new Map([...byBuild].map(([generation, own]) => [generation, own.map((row) => row.segment_id)])),
  );
}

/** As many as are compared at once without looking whether it is worth it. */
const FEW = 300;
/** Comparing more than this takes seconds; going through the files in order has some soon. */
const MANY = 60_000;
const BATCH = 10_000;

type Narrowing = {
  readonly candidates: Candidates | undefined;
  /** Fewer are read as they are. */
  readonly least?: number;
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
  const { candidates, least = FEW, held, enough, until } = narrowing;
  if (candidates === undefined || held === undefined || candidates.count <= least || candidates.count > MANY) {
    return candidates;
  }
  const all = candidates.chunkIds();
  if (all.length <= FEW) {
    return candidates.only(await chunksHolding(query, scope, { held, among: all }));
  }
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
  return candidates.only(kept);
}
