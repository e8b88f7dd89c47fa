import { chunkId } from "#store/chunk-id.ts";
import { hasBit } from "#store/bitmap.ts";
import { readAs } from "#store/read-as.store.ts";
import { findDefining, findLiterals, type LiteralHit } from "#store/read-chunks.store.ts";
import { visibleSegments } from "#store/read-postings.store.ts";
import { rarestTrigrams, tellingTrigrams } from "#store/choose-trigrams.ts";
import { trigramsOf } from "#store/trigrams.ts";
import type { LegAnswer } from "./leg.ts";
import type { Looking } from "./legs.ts";
import { intersect } from "./intersect.ts";
import { trigramListsOf, trigramSampleOf, type TrigramLists, type TrigramSample } from "./segment-memory.ts";
import { joinVisible, type VisibleChunks } from "./visible-chunks.ts";

/** More of a literal's trigrams hardly leave fewer chunks. */
const MOST_TRIGRAMS = 6;
/** So many chunks are compared sooner than another trigram's lists are read. */
const FEW = 30;
/** Chunks looked into at once: first few, as most literals are either common or rare. */
const FIRST_LOOK = 250;
const LARGEST_LOOK = 2_000;
/** Whose candidates are looked into before those of the others. */
const FIRST_SEGMENTS = 16;
/** Part of the time that comparing may begin in: the last look is to end in time, so that what was found is not lost. */
const LOOKING_SHARE = 0.6;

/** The chunks that hold a literal of the query, letter for letter or in other case, or define one of its names. */
export async function searchExactly({ database, scope, query, limit, deadlineMs }: Looking): Promise<LegAnswer> {
  const { literals, names } = query;
  if (literals.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query is longer than any literal that is looked for" };
  }
  const until = performance.now() + deadlineMs * LOOKING_SHARE;
  let left = 0;
  const trigrams = literals.map(trigramsOf);
  const hits = await readAs(database, scope.tenant, deadlineMs, async (transaction): Promise<readonly LiteralHit[]> => {
    const defining = await findDefining(transaction, scope, { names, limit });
    if (trigrams.some((own) => own.length === 0)) {
      return [...defining, ...(await findLiterals(transaction, scope, { literals, limit }))];
    }
    const segments = joinVisible(await visibleSegments(transaction, scope));
    const reading = { database, transaction, scope, segments };
    const wanted = chooseTrigrams(trigrams, segments, await trigramSampleOf(reading));
    const holding: LiteralHit[] = [];
    let look = FIRST_LOOK;
    // Of what is common the first segments have enough, and the lists of the others are not read.
    for (const some of inSteps(segments, FIRST_SEGMENTS)) {
      const lists = await trigramListsOf({ ...reading, segments: some }, [...new Set(wanted.flat())]);
      const candidates = some.flatMap((segment) => candidatesIn(segment, lists, wanted));
      let from = 0;
      while (from < candidates.length && holding.length < limit && performance.now() < until) {
        const among = candidates.slice(from, from + look);
        holding.push(...(await findLiterals(transaction, scope, { literals, among, limit: limit - holding.length })));
        from += look;
        look = Math.min(look * 2, LARGEST_LOOK);
      }
      if (holding.length >= limit) {
        left = 0;
        break;
      }
      left += Math.max(0, candidates.length - from);
    }
    return [...defining, ...holding];
  });
  const chunkIds = [...new Set(hits.toSorted(byCloseness).map((hit) => hit.chunk_id))].slice(0, limit);
  const reason = `${left} chunks that may hold the text were not compared in time; add letters in a row or name a repository`;
  return left > 0 ? { chunkIds, state: "timeout", reason } : { chunkIds };
}

function chooseTrigrams(
  literals: readonly (readonly number[])[],
  segments: readonly VisibleChunks[],
  sample: TrigramSample | undefined,
): readonly (readonly number[])[] {
  const total = segments.reduce((sum, { capacity }) => sum + capacity, 0);
  return literals.map((trigrams) =>
    sample === undefined
      ? rarestTrigrams(trigrams, MOST_TRIGRAMS)
      : tellingTrigrams(trigrams, { counts: sample.counts, most: MOST_TRIGRAMS, few: (FEW * sample.chunks) / Math.max(1, total) }),
  );
}

/** A definition before a use, the same letters before other case. */
function byCloseness(one: LiteralHit, other: LiteralHit): number {
  return Number(other.defines) - Number(one.defines) || Number(other.same_case) - Number(one.same_case) || one.chunk_id - other.chunk_id;
}

/** The first `count`, and then the others. */
function inSteps<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  return [items.slice(0, count), items.slice(count)].filter((step) => step.length > 0);
}

/** The chunks of a segment that are seen and hold all trigrams of one of the literals. */
function candidatesIn(
  { segmentId, capacity, ordinals: seen }: VisibleChunks,
  lists: ReadonlyMap<number, TrigramLists>,
  literals: readonly (readonly number[])[],
): readonly number[] {
  const ofLiterals = literals.map((trigrams) => trigrams.map((trigram) => lists.get(trigram)?.get(segmentId) ?? null));
  const [only = [], ...others] = ofLiterals.map((of) => {
    const known = of.filter((list) => list !== null);
    return known.length < of.length ? Array.from({ length: capacity }, (_, ordinal) => ordinal) : Array.from(intersect(known));
  });
  const holding = others.length === 0 ? only : [...new Set([only, ...others].flat())];
  return holding.flatMap((ordinal) => (seen === null || hasBit(seen, ordinal) ? [chunkId(segmentId, ordinal)] : []));
}
