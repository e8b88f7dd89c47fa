import { chunkId } from "#store/index/postings.ts";
import { hasBit } from "#store/index/bitmap.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import { findDefining, findLiterals, readContents, type LiteralHit } from "#retrieval/scope/read-chunks.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { selectiveTrigrams } from "#retrieval/patterns/trigram-query.ts";
import { listTrigrams, type TrigramCounts } from "#store/index/trigrams.ts";
import type { LegAnswer, LegQuery } from "./leg.ts";
import { intersect } from "#store/index/intersect.ts";
import { loadTrigramLists, loadTrigramSample, type Reading, type TrigramLists } from "#retrieval/scope/index-memory.ts";
import { type VisibleChunks, readVisible } from "#retrieval/scope/visible-chunks.ts";
import { findCandidates } from "#retrieval/patterns/candidates.ts";
import { keepMeeting, type Conditions } from "#retrieval/patterns/match-conditions.ts";

/** The two rarest trigrams of a literal are read first; up to this many when those leave too many chunks. */
const MAX_TRIGRAMS = 10;
const FIRST_TRIGRAMS = 2;
/** Comparing this many chunks is faster than reading further lists. */
const FEW = 150;
/** Chunks compared at once. It begins small, as most literals are either common or rare. */
const FIRST_BATCH = 250;
const MAX_BATCH = 2_000;
/** The first segments, whose candidates are compared before those of the others. */
const FIRST_SEGMENTS = 16;
/** Share of the deadline in which a batch may begin to be compared: the last batch has to end in time, or all that was found is lost. */
const COMPARING_SHARE = 0.6;

/** The chunks that hold a literal of the query, letter for letter or in other case, or define one of its names. */
export async function searchExactly({ database, memory, scope, query, segments, limit, deadlineMs }: LegQuery): Promise<LegAnswer> {
  const { literals, names } = query;
  if (literals.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query is longer than any literal that is looked for" };
  }
  const until = performance.now() + deadlineMs * COMPARING_SHARE;
  let left = 0;
  const hits = await readAs(database, scope.tenant, deadlineMs, async (transaction): Promise<readonly LiteralHit[]> => {
    const defining = names.length === 0 ? [] : await findDefining(transaction, scope, { names, limit });
    if (literals.some((literal) => listTrigrams(literal).length === 0)) {
      return [...defining, ...(await findLiterals(transaction, scope, { literals, limit }))].toSorted(byCloseness);
    }
    const reading: Reading = { memory, scope, segments, read: (work) => work(transaction) };
    const { counts } = await loadTrigramSample(reading);
    const holding: LiteralHit[] = [];
    // The whole literal goes first, so that a common part of it does not crowd it out.
    for (const some of inSteps(literals, 1)) {
      const looked = await compareCandidates({ transaction, scope, reading, counts, until, literals: some, limit: limit - holding.length });
      holding.push(...looked.hits.toSorted(byCloseness));
      left += looked.left;
    }
    return [...defining, ...holding];
  });
  const chunkIds = [...new Set(hits.map((hit) => hit.chunk_id))].slice(0, limit);
  const reason = `${left} chunks that may hold the text were not compared in time; add letters in a row or name a repository`;
  return left > 0 ? { chunkIds, state: "timeout", reason } : { chunkIds };
}

type Comparing = {
  readonly transaction: TenantQuery;
  readonly scope: Scope;
  readonly reading: Reading;
  readonly counts: TrigramCounts;
  readonly literals: readonly string[];
  readonly limit: number;
  /** When to stop. */
  readonly until: number;
};

type Compared = {
  readonly hits: readonly LiteralHit[];
  /** Chunks that may hold one of the literals, and were not compared in time. */
  readonly left: number;
};

async function compareCandidates({ transaction, scope, reading, counts, literals, limit, until }: Comparing): Promise<Compared> {
  const wanted = literals.map((literal) => selectiveTrigrams(listTrigrams(literal), counts, MAX_TRIGRAMS));
  const hits: LiteralHit[] = [];
  let left = 0;
  let batch = FIRST_BATCH;
  // The first segments hold enough of a common literal, so that the lists of the others need not be read.
  for (const segments of inSteps(reading.segments, FIRST_SEGMENTS)) {
    const candidates = hits.length < limit ? await findHolding({ ...reading, segments }, wanted) : [];
    let from = 0;
    while (from < candidates.length && hits.length < limit && performance.now() < until) {
      const among = candidates.slice(from, from + batch);
      hits.push(...(await findLiterals(transaction, scope, { literals, among, limit: limit - hits.length })));
      from += batch;
      batch = Math.min(batch * 2, MAX_BATCH);
    }
    left += Math.max(0, candidates.length - from);
  }
  return { hits, left: hits.length < limit ? left : 0 };
}

/** The chunks that may hold one of the literals, by as many of their trigrams as it takes. */
async function findHolding(reading: Reading, literals: readonly (readonly number[])[]): Promise<readonly number[]> {
  const few = await findByTrigrams(
    reading,
    literals.map((trigrams) => trigrams.slice(0, FIRST_TRIGRAMS)),
  );
  return few.length <= FEW ? few : findByTrigrams(reading, literals);
}

async function findByTrigrams(reading: Reading, literals: readonly (readonly number[])[]): Promise<readonly number[]> {
  const lists = await loadTrigramLists(reading, [...new Set(literals.flat())]);
  return reading.segments.flatMap((segment) => candidatesIn(segment, lists, literals));
}

/** A definition before a use, the same letters before other case. */
function byCloseness(one: LiteralHit, other: LiteralHit): number {
  return Number(other.defines) - Number(one.defines) || Number(other.same_case) - Number(one.same_case) || one.chunk_id - other.chunk_id;
}

/** Splits into the first `count` items and the rest. */
function inSteps<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  return [items.slice(0, count), items.slice(count)].filter((step) => step.length > 0);
}

/** The chunks of a segment that are seen and hold all trigrams of one of the literals. */
function candidatesIn(
  { segmentId, ordinals: seen }: VisibleChunks,
  lists: ReadonlyMap<number, TrigramLists>,
  literals: readonly (readonly number[])[],
): readonly number[] {
  const holdingEach = literals.map((trigrams) => Array.from(intersect(trigrams.map((each) => lists.get(each)?.get(segmentId) ?? NONE))));
  const holding = literals.length === 1 ? holdingEach.flat() : [...new Set(holdingEach.flat())];
  return holding.flatMap((ordinal) => (seen === null || hasBit(seen, ordinal) ? [chunkId(segmentId, ordinal)] : []));
}

const NONE = new Uint16Array(0);

/** Texts read at once. It begins small, as conditions are either common or rare. */
const FIRST_TEXT_BATCH = 200;
const MAX_TEXT_BATCH = 3_000;
/** Share of the deadline for reading and matching texts; the rest is for finding the candidates. */
const READING_SHARE = 0.8;

/** The chunks that meet a query's conditions, narrowed down by the index and then checked against their texts. */
export async function searchByConditions(
  { database, memory, scope, limit, deadlineMs }: LegQuery,
  conditions: Conditions,
): Promise<LegAnswer & { readonly isComplete: boolean }> {
  const until = performance.now() + deadlineMs * READING_SHARE;
  return readAs(database, scope.tenant, deadlineMs, async (transaction) => {
    const candidates = await findCandidates(transaction, scope, { trigrams: conditions.trigrams, isMultiline: false, memory });
    const chunkIds = candidates?.chunkIds() ?? visibleChunkIds(await readVisible(transaction, scope));
    const found: number[] = [];
    for (let from = 0, batch = FIRST_TEXT_BATCH; from < chunkIds.length; from += batch, batch = Math.min(batch * 2, MAX_TEXT_BATCH)) {
      if (found.length >= limit || performance.now() > until) {
        return { chunkIds: found.slice(0, limit), isComplete: false };
      }
      const texts = await readContents(transaction, scope, chunkIds.slice(from, from + batch));
      const { kept, isComplete } = await keepMeeting(texts, conditions, until);
      found.push(...kept.map((chunk) => chunk.chunk_id));
      if (!isComplete) {
        return { chunkIds: found.slice(0, limit), isComplete };
      }
    }
    return { chunkIds: found.slice(0, limit), isComplete: found.length <= limit };
  });
}

function visibleChunkIds(segments: readonly VisibleChunks[]): readonly number[] {
  return segments.flatMap(({ segmentId, capacity, ordinals }) =>
    Array.from({ length: capacity }, (_, ordinal) => ordinal)
      .filter((ordinal) => ordinals === null || hasBit(ordinals, ordinal))
      .map((ordinal) => chunkId(segmentId, ordinal)),
  );
}
