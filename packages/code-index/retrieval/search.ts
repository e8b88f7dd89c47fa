import { AppError } from "@sightline/foundation/errors";
import type { SearchAnswer, SearchRequest } from "#contract.ts";
import { readAs } from "#store/read-as.store.ts";
import { readChunks, type FoundChunk } from "#store/read-chunks.store.ts";
import { indexedLanguages, listChunks } from "#store/read-listed.store.ts";
import { areVisible } from "#store/read-postings.store.ts";
import type { Access, RepositoryInScope, Scope } from "#store/read-scope.store.ts";
import { untilAborted, type CodeIndexDatabase } from "#store/tenant.ts";
import { awaitCommit } from "./await-commit.ts";
import { fuse, type FusedChunk, type LegName } from "./fuse.ts";
import { compileConditions, keepMeeting } from "./match-conditions.ts";
import { languageNamed, scopeFilters } from "./query-filters.ts";
import { parseQuery, type ParsedQuery } from "./query.ts";
import { rank, type RankedChunk } from "./rank.ts";
import { isTimeout, tooSlow } from "./read-scope.ts";
import { readSearched, type Searched } from "./read-searched.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";
import type { RerankerState } from "./rerank.ts";
import { notesOnFilters, notesOnIndex, presentIndex, presentQuery, presentResults } from "./search-answer.ts";
import { cursorFor, nameBuilds, positionOf, type Position } from "./search-cursor.ts";
import { isFull, runLegs, skipAll, type Legs, type SearchDependencies, type Searching } from "./search-legs.ts";

export type { SearchDependencies } from "./search-legs.ts";

/** Of many results: `cursorAfter` is the cursor for whoever shows only the first of them. */
export type SearchPage = SearchAnswer & { readonly cursorAfter: (shown: number) => string };

const READ_MS = 3_000;

/** Places that are ranked. */
const CANDIDATES = 300;
/** Fewer are not taken for all that there may be. */
const ENOUGH = 100;
/** Places held against the conditions then, and for how long. */
const DEEP_CANDIDATES = 6_000;
const CHECK_MS = 1_000;

/**
 * Finds the places in a tenant's indexed code that answer a query, as docs/search.md says: three legs at once, fused, held
 * against the query's conditions and ranked. A leg that is slow or fails is named in `legs` and the others answer.
 *
 * @throws {AppError} `invalid_query`, `invalid_pattern`, `invalid_cursor` (400), `repository_not_found` (404), `repository_not_indexed`,
 * `ref_not_indexed` (409), `search_failed`, `too_slow` (503) when nothing could answer in time; the signal's reason when it was aborted.
 */
export async function search(given: SearchDependencies, access: Access, request: SearchRequest): Promise<SearchPage> {
  const began = performance.now();
  const dependencies = { ...given, database: untilAborted(given.database, given.signal) };
  try {
    return await answer(dependencies, access, request, began);
  } catch (error) {
    dependencies.database.signal?.throwIfAborted();
    throw isTimeout(error) ? tooSlow(READ_MS) : error;
  }
}

async function answer(dependencies: SearchDependencies, access: Access, request: SearchRequest, began: number): Promise<SearchPage> {
  const query = parseQuery(request.query, { symbol: filterText(request.symbol) });
  const conditions = compileConditions(query);
  const position = positionOf({ access, request });
  const scope = scopeFor(access, request, query);
  const reached = await awaitCommit(dependencies.database, access, request);
  const searched = await lookAround(dependencies.database, scope);

  const found = await rerank(dependencies, query, await find(dependencies, { ...searched, scope, query, conditions, isDeep: false }));
  const offset = position?.offset ?? 0;
  const end = offset + request.limit;
  const results = presentResults(found.ranked.slice(offset, end), query, request.explain === true);
  const here: Position = {
    offset: end,
    builds: nameBuilds(searched.repositories),
    legs: answering(found.legs),
  };
  const languages = found.ranked.length === 0 ? await languagesFor(dependencies.database, scope, query) : [];
  return {
    results,
    legs: { semantic: found.legs.semantic.state, bm25: found.legs.bm25.state, exact: found.legs.exact.state },
    ...(found.reranker === undefined ? {} : { reranker: found.reranker }),
    index: presentIndex(searched.repositories, results),
    ...(reached === undefined ? {} : { min_commit: reached }),
    partial: found.isPartial || isCutShort(found.legs),
    notes: [
      ...query.notes,
      ...notesOnFilters(query, languages),
      ...notesOnIndex(searched.all, scope),
      ...(reached?.reached === false ? [`The index does not hold ${reached.commit} yet; these results are of an older commit.`] : []),
      ...notesOnPaging(position, here),
      ...notesOnFinding(found, { query, hasMore: end < found.ranked.length }),
    ],
    next_cursor: end < found.ranked.length ? cursorFor({ access, request }, here) : null,
    cursorAfter: (shown) => cursorFor({ access, request }, { ...here, offset: offset + shown }),
    query: presentQuery(query),
    ms: Math.round((performance.now() - began) * 10) / 10,
  };
}

function scopeFor(access: Access, request: SearchRequest, query: ParsedQuery): Scope {
  const lang = filterText(request.lang);
  return {
    ...access,
    repo: request.repo,
    ref: request.ref,
    path: filterText(request.path),
    lang: lang === undefined ? undefined : languageNamed(lang),
    filters: query.filters.length === 0 ? undefined : scopeFilters(query.filters),
  };
}

function filterText(text: string | undefined): string | undefined {
  if (text?.includes("\0") === true) {
    throw new AppError({ code: "invalid_query", status: 400, message: "A filter holds a NUL character, which no path or language has." });
  }
  return text === "" ? undefined : text;
}

type LookedAround = Searched & {
  /** In scope, searchable or not; `repositories` are the searchable ones. */
  readonly all: readonly RepositoryInScope[];
};

async function lookAround(database: CodeIndexDatabase, scope: Scope): Promise<LookedAround> {
  if (scope.repo?.includes("\0") === true) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  const { repositories: all, segments, vectors } = await readSearched(database, scope, READ_MS);
  const repositories = all.filter((repository) => repository.generation !== null);
  const asks = scope.repo !== undefined || scope.ref !== undefined;
  const filters = [...(scope.filters?.repo.anyOf ?? []), ...(scope.filters?.ref.anyOf ?? [])];
  if (repositories.length === 0 && (asks || filters.length > 0)) {
    await refuseHiddenRepository(database, scope, all[0]);
  }
  return { all, repositories, segments, vectors };
}

type Found = {
  readonly legs: Legs;
  readonly ranked: readonly RankedChunk[];
  /** More may be found that meets the conditions. */
  readonly isPartial: boolean;
  /** More was found than is ranked. */
  readonly isCapped: boolean;
};

async function find(dependencies: SearchDependencies, searching: Searching): Promise<Found> {
  const { query, conditions, isDeep } = searching;
  if (query.text === "") {
    return browse(dependencies, searching);
  }
  const found = await findOnce(dependencies, searching);
  const isShort = conditions !== undefined && found.isCapped && found.ranked.length < ENOUGH;
  return isShort && !isDeep && !isBroken(found.legs)
    ? find(dependencies, { ...searching, isDeep: true })
    : { ...found, isPartial: isShort };
}

/** A query of nothing but filters asks for what they let through. */
async function browse({ database }: SearchDependencies, { scope, query, conditions }: Searching): Promise<Found> {
  const limit = conditions === undefined ? CANDIDATES : DEEP_CANDIDATES;
  const everyChunk = conditions !== undefined || query.filters.some(({ field }) => field === "symbol");
  const { chunkIds, chunks } = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const listed = await listChunks(transaction, scope, { limit, everyChunk });
    return { chunkIds: listed, chunks: await readChunks(transaction, scope, listed) };
  });
  const { kept, isComplete } = await keepMeeting(chunks, conditions, performance.now() + CHECK_MS);
  const order = new Map(chunkIds.map((chunkId, index) => [chunkId, index]));
  const ranked = kept
    .toSorted((one, other) => (order.get(one.chunk_id) ?? 0) - (order.get(other.chunk_id) ?? 0))
    .slice(0, CANDIDATES)
    .map((chunk) => ({ ...chunk, score: 0, fused: 0, factors: {}, ranks: {} }));
  const isCapped = chunkIds.length === limit || !isComplete;
  return {
    legs: skipAll("the query has nothing but filters"),
    ranked,
    isCapped,
    isPartial: isCapped && conditions !== undefined && kept.length < ENOUGH,
  };
}

type Reranked = Found & { readonly reranker?: RerankerState };

/** Whatever page is asked for, so that all of them are of one order. */
async function rerank({ reranker, signal }: SearchDependencies, query: ParsedQuery, found: Found): Promise<Reranked> {
  return reranker === undefined || query.text === "" ? found : { ...found, ...(await reranker(found.ranked, query, signal)) };
}

async function findOnce(dependencies: SearchDependencies, given: Searching, again = true): Promise<Omit<Found, "isPartial">> {
  const searching = again ? given : { ...given, ...(await lookAround(dependencies.database, given.scope)) };
  const { query, conditions, isDeep } = searching;
  const legs = await runLegs(dependencies, searching);
  const all = fuse({ semantic: legs.semantic.chunkIds, bm25: legs.bm25.chunkIds, exact: legs.exact.chunkIds }, query.shape);
  const fused = all.slice(0, isDeep ? DEEP_CANDIDATES : CANDIDATES * (conditions === undefined ? 1 : 2));
  const chunkIds = fused.map((chunk) => chunk.chunkId);
  const { chunks, isAllThere } = await readFound(dependencies.database, searching, chunkIds);
  // A newer build or merged segments took the place of what was looked through: look there.
  if (again && (!isAllThere || chunks.length < fused.length)) {
    return findOnce(dependencies, given, false);
  }
  const byId = new Map<number, FusedChunk>(fused.map((chunk) => [chunk.chunkId, chunk]));
  const coverageOf = legs.bm25.coverageOf ?? (() => 0);
  const inOrder = chunks.toSorted((one, other) => (byId.get(other.chunk_id)?.score ?? 0) - (byId.get(one.chunk_id)?.score ?? 0));
  const { kept, isComplete } = await keepMeeting(inOrder, conditions, performance.now() + CHECK_MS);
  const candidates = kept.slice(0, CANDIDATES).flatMap((chunk) => {
    const found = byId.get(chunk.chunk_id);
    return found === undefined ? [] : [{ fused: found, chunk, coverage: coverageOf(chunk.chunk_id) }];
  });
  // Conditions that say what to find are answered by the exact leg alone, others by what the words find.
  const hasAll = isComplete && legs.exact.isComplete === true;
  const mayLack = (conditions !== undefined && (conditions.areFindable || isBroken(legs))) || isFull(legs, searching);
  return {
    legs,
    ranked: candidates.length === 0 ? [] : rank(candidates, query, dependencies.weights),
    isCapped: !hasAll && (all.length > fused.length || !isComplete || mayLack),
  };
}

type Read = {
  readonly chunks: readonly FoundChunk[];
  /** Whether the legs could find all that they looked for: of what nobody sees any more there may be less every moment. */
  readonly isAllThere: boolean;
};

function readFound(database: CodeIndexDatabase, { scope, segments }: Searching, chunkIds: readonly number[]): Promise<Read> {
  const segmentIds = segments.map(({ segmentId }) => segmentId);
  return readAs(database, scope.tenant, READ_MS, async (transaction) => ({
    chunks: chunkIds.length === 0 ? [] : await readChunks(transaction, scope, chunkIds),
    isAllThere: await areVisible(transaction, scope, segmentIds),
  }));
}

function answering(legs: Legs): readonly LegName[] {
  return (["semantic", "bm25", "exact"] as const).filter((leg) => legs[leg].state.state === "ok" || legs[leg].state.state === "pending");
}

function isBroken({ bm25, exact }: Legs): boolean {
  return [bm25, exact].some(({ state: { state } }) => state === "timeout" || state === "degraded");
}

function isCutShort(legs: Legs): boolean {
  return Object.values(legs).some(({ state }) => state.state === "timeout");
}

/** The languages that there are, for whoever asked for one and found nothing. */
async function languagesFor(database: CodeIndexDatabase, scope: Scope, { filters }: ParsedQuery): Promise<readonly string[]> {
  const asked = scope.lang !== undefined || filters.some(({ field }) => field === "lang");
  return asked ? readAs(database, scope.tenant, READ_MS, (transaction) => indexedLanguages(transaction, scope)) : [];
}

function notesOnPaging(before: Position | undefined, here: Position): readonly string[] {
  if (before === undefined) {
    return [];
  }
  if (before.builds !== here.builds) {
    return [
      "The index changed since the page before: some results may come twice or be left out. Start again without the cursor for a whole list.",
    ];
  }
  const isSame = before.legs.length === here.legs.length && before.legs.every((leg) => here.legs.includes(leg));
  return isSame ? [] : ["Other legs answered than for the page before: some results may come twice or be left out."];
}

type Finding = { readonly query: ParsedQuery; readonly hasMore: boolean };

function notesOnFinding({ isPartial, isCapped, ranked, legs }: Found, { query, hasMore }: Finding): readonly string[] {
  if (isPartial) {
    return ["Not every place was held against the conditions: there may be more. Name a repository or a path, or use grep."];
  }
  const conditions = query.alternatives.flat().filter(({ negated }) => !negated);
  if (ranked.length === 0 && conditions.length > 0) {
    return ["No place holds all that is in quotes or slashes; without them the nearest ones are found."];
  }
  const isGuess =
    ranked.length > 0 && query.text !== "" && ranked.every(({ ranks }) => ranks.bm25 === undefined && ranks.exact === undefined);
  if (isGuess && !isBroken(legs)) {
    return ["No place holds the text or a word of it; these are only the nearest in meaning or spelling."];
  }
  return isCapped && !hasMore && ranked.length > 0
    ? [`Only the best ${ranked.length} places are ranked; narrow the query for others.`]
    : [];
}
