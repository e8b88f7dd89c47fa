import { chunkId } from "#store/chunk-id.ts";
import { hasBit } from "#store/bitmap.ts";
import { readAs } from "#store/read-as.store.ts";
import { findDefining, findLiterals, type LiteralHit } from "#store/read-chunks.store.ts";
import { readTrigrams, visibleSegments, type TrigramsRow } from "#store/read-postings.store.ts";
import { listOf, trigramsOf } from "#store/trigrams.ts";
import type { LegAnswer } from "./leg.ts";
import type { Looking } from "./legs.ts";
import { joinVisible, type VisibleChunks } from "./visible-chunks.ts";

/** More of a literal's trigrams hardly leave fewer chunks. */
const MOST_TRIGRAMS = 8;
/** Chunks looked into at once: first few, as most literals are either common or rare. */
const FIRST_LOOK = 500;
const LARGEST_LOOK = 8_000;

/** The chunks that hold a literal of the query, letter for letter or in other case, or define one of its names. */
export async function searchExactly({ database, scope, query, limit, deadlineMs }: Looking): Promise<LegAnswer> {
  const { literals, names } = query;
  if (literals.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query is longer than any literal that is looked for" };
  }
  const until = performance.now() + deadlineMs;
  const wanted = literals.map((literal) => evenly(trigramsOf(literal)));
  const hits = await readAs(database, scope.tenant, deadlineMs, async (transaction): Promise<readonly LiteralHit[]> => {
    const defining = await findDefining(transaction, scope, { names, limit });
    if (wanted.some((trigrams) => trigrams.length === 0)) {
      return [...defining, ...(await findLiterals(transaction, scope, { literals, limit }))];
    }
    const segments = joinVisible(await visibleSegments(transaction, scope));
    const rows = await readTrigrams(transaction, scope, {
      trigrams: [...new Set(wanted.flat())],
      segments: segments.map(({ segmentId }) => segmentId),
    });
    const candidates = candidatesOf(segments, rows, wanted);
    const holding: LiteralHit[] = [];
    // Who is late is not waited for: nobody reads what is found then.
    for (let from = 0, look = FIRST_LOOK; from < candidates.length && holding.length < limit && performance.now() < until;) {
      const among = candidates.slice(from, from + look);
      holding.push(...(await findLiterals(transaction, scope, { literals, among, limit: limit - holding.length })));
      from += look;
      look = Math.min(look * 2, LARGEST_LOOK);
    }
    return [...defining, ...holding];
  });
  return { chunkIds: [...new Set(hits.toSorted(byCloseness).map((hit) => hit.chunk_id))].slice(0, limit) };
}

/** A definition before a use, the same letters before other case. */
function byCloseness(one: LiteralHit, other: LiteralHit): number {
  return Number(other.defines) - Number(one.defines) || Number(other.same_case) - Number(one.same_case) || one.chunk_id - other.chunk_id;
}

/** From all over a literal: neighbours say much the same. */
function evenly(trigrams: readonly number[]): readonly number[] {
  const step = Math.max(1, (trigrams.length - 1) / (MOST_TRIGRAMS - 1));
  return trigrams.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** The chunks seen that hold all trigrams of one of the literals. */
function candidatesOf(
  segments: readonly VisibleChunks[],
  rows: readonly TrigramsRow[],
  literals: readonly (readonly number[])[],
): readonly number[] {
  const bySegment = Map.groupBy(rows, (row) => row.segment_id);
  return segments.flatMap(({ segmentId, capacity, ordinals: seen }) => {
    const blocks = bySegment.get(segmentId);
    const holding =
      blocks === undefined
        ? Array.from({ length: capacity }, (_, ordinal) => ordinal)
        : [...new Set(literals.flatMap((trigrams) => inAll(trigrams.map((trigram) => listOf(blocks, trigram)))))];
    return holding.filter((ordinal) => seen === null || hasBit(seen, ordinal)).map((ordinal) => chunkId(segmentId, ordinal));
  });
}

/** What all of the lists have, beginning with the shortest. */
function inAll(lists: readonly (readonly number[])[]): readonly number[] {
  const [shortest = [], ...others] = lists.toSorted((one, other) => one.length - other.length);
  let common = shortest;
  for (const list of others) {
    const held = common.length === 0 ? new Set<number>() : new Set(list);
    common = common.filter((ordinal) => held.has(ordinal));
  }
  return common;
}
