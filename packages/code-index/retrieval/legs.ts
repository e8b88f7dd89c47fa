import type { Embedder } from "#embedding/embedder.ts";
import { findLiterals, findNearest, type LiteralHit } from "#store/read-chunks.store.ts";
import { chunksOfMatchingFiles, keepMatchingFiles, readPostings, visibleSegments } from "#store/read-postings.store.ts";
import { filtersFiles, readWithin, type Scope, type VisibleRepository } from "#store/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import type { LegAnswer } from "./leg.ts";
import type { ParsedQuery } from "./query.ts";
import { scorePostings } from "./score-postings.ts";

/** What each leg needs to look. */
export type Looking = {
  readonly database: CodeIndexDatabase;
  readonly scope: Scope;
  readonly query: ParsedQuery;
  /** Hits wanted at the most. */
  readonly limit: number;
  readonly deadlineMs: number;
};

/** The best chunks looked through first when a path or language is asked for. */
const FILTERED = 5_000;
const MATCHING = 200_000;

export async function searchByWords(looking: Looking): Promise<LegAnswer> {
  const { database, scope, query, limit, deadlineMs } = looking;
  const terms = [...new Set(query.concepts.flatMap((concept) => concept.terms))];
  if (terms.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query has no word" };
  }
  return readWithin(database, deadlineMs, async (transaction) => {
    const segments = await visibleSegments(transaction, scope);
    const postings = await readPostings(transaction, scope, { terms, segments: segments.map((segment) => segment.segment_id) });
    const scores = scorePostings({ concepts: query.concepts, segments, postings });
    const coverageOf = scores.coverageOf;
    if (!filtersFiles(scope)) {
      return { chunkIds: scores.top(limit).map((hit) => hit.chunkId), coverageOf };
    }
    const best = scores.top(FILTERED).map((hit) => hit.chunkId);
    const kept = await keepMatchingFiles(transaction, scope, best);
    const found = best.filter((chunkId) => kept.has(chunkId)).slice(0, limit);
    if (found.length === limit || best.length < FILTERED) {
      return { chunkIds: found, coverageOf };
    }
    // Few files match, so that asking for them first is cheap, and finds those further down.
    const matching = await chunksOfMatchingFiles(transaction, scope, MATCHING);
    return { chunkIds: scores.top(limit, (chunkId) => matching.has(chunkId)).map((hit) => hit.chunkId), coverageOf };
  });
}

export async function searchExactly({ database, scope, query, limit, deadlineMs }: Looking): Promise<LegAnswer> {
  const { literals, names } = query;
  if (literals.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query is longer than any literal that is looked for" };
  }
  const hits = await readWithin(database, deadlineMs, (transaction) => findLiterals(transaction, scope, { literals, names, limit }));
  return { chunkIds: [...new Set(hits.toSorted(byCloseness).map((hit) => hit.chunk_id))].slice(0, limit) };
}

/** A definition before a use, the same letters before other case. */
function byCloseness(one: LiteralHit, other: LiteralHit): number {
  return Number(other.defines) - Number(one.defines) || Number(other.same_case) - Number(one.same_case) || one.chunk_id - other.chunk_id;
}

type LookingByMeaning = Looking & { readonly embedder: Embedder | undefined; readonly repositories: readonly VisibleRepository[] };

export async function searchByMeaning(looking: LookingByMeaning): Promise<LegAnswer> {
  const { database, scope, query, limit, deadlineMs, embedder, repositories } = looking;
  if (embedder === undefined) {
    return { chunkIds: [], state: "skipped", reason: "no embedder is configured (CODEINDEX_EMBEDDER=none)" };
  }
  const without = repositories
    .filter((repository) => repository.embedder !== embedder.identity.key)
    .map((repository) => repository.full_name);
  if (without.length === repositories.length) {
    return {
      chunkIds: [],
      state: "pending",
      reason: `no repository asked has vectors of the embedder ${embedder.identity.provider} yet; index it again`,
    };
  }
  const [embedded] = await embedder.embed([query.text], { purpose: "query", signal: AbortSignal.timeout(deadlineMs) });
  const vector = embedded !== undefined && "vector" in embedded ? embedded.vector : undefined;
  if (vector === undefined || vector.every((value) => value === 0)) {
    return { chunkIds: [], state: "skipped", reason: "the query has no word" };
  }
  const chunkIds = await readWithin(database, deadlineMs, (transaction) =>
    findNearest(transaction, scope, { vector, embedder: embedder.identity.key, limit }),
  );
  return without.length === 0
    ? { chunkIds }
    : { chunkIds, state: "pending", reason: `${without.length} of ${repositories.length} repositories have no vectors yet` };
}
