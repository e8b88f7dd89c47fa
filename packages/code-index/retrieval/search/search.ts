import { z } from "zod";
import { legNameSchema, mapLegs, type SearchAnswer, type SearchRequest } from "#contract.ts";
import type { Access, Scope } from "#store/tenancy/read-scope.store.ts";
import { readAs, untilAborted } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope } from "#retrieval/scope/asked-scope.ts";
import { awaitCommit } from "#retrieval/scope/await-commit.ts";
import { findChunks, type Found } from "./find-chunks.ts";
import { readSearchable, READ_MS } from "#retrieval/scope/read-searchable.ts";
import { compileConditions } from "#retrieval/patterns/match-conditions.ts";
import { scopeFilters } from "#retrieval/query/query-filters.ts";
import { parseQuery, type ParsedQuery } from "#retrieval/query/parse-query.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { createSealedCursors, dateBuilds, digest, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { isTimeout, tooSlow } from "#retrieval/scope/read-scope.ts";
import type { RerankerState } from "#retrieval/ranking/rerank.ts";
import { notesOnIndex, presentFacets, presentIndex, presentQuery, presentResults } from "./search-answer.ts";
import { isBroken, type Legs, type SearchDependencies } from "./search-legs.ts";
import { createSegmentMemory } from "#retrieval/bm25/segment-memory.ts";
import { createSemaphore } from "@sightline/foundation/semaphore";

export type { SearchDependencies } from "./search-legs.ts";

/**
 * What the searches of a process share. A tenant's searches are limited to four at once: each sends three statements to the database
 * at the same time, and with more of them all would run out of time together.
 */
export function createSearchState({ waitMs = 10_000 } = {}): Pick<SearchDependencies, "memory" | "searchLimit"> {
  return { memory: createSegmentMemory(), searchLimit: createSemaphore({ atOnce: 4, waitMs }) };
}

/** `isGuess`: no result holds a word of the query. */
export type SearchPage = FoundPage<SearchAnswer> & { readonly isGuess: boolean };

/**
 * Finds the places in a tenant's indexed code that answer a query, as docs/search.md says: three legs at once, fused, held
 * against the query's conditions and ranked. A leg that is slow or fails is named in `legs` and the others answer.
 *
 * @throws {AppError} `invalid_query`, `invalid_pattern`, `invalid_cursor` (400), `repository_not_found` (404), `repository_not_indexed`,
 * `ref_not_indexed` (409), `search_failed`, `too_slow` (503) when nothing could answer in time, `too_busy` (503); the signal's reason when it was aborted.
 */
export async function search(given: SearchDependencies, access: Access, request: SearchRequest): Promise<SearchPage> {
  const began = performance.now();
  const dependencies = { ...given, database: untilAborted(given.database, given.signal) };
  try {
    return await answer(dependencies, access, request, began);
  } catch (error) {
    dependencies.database.signal?.throwIfAborted();
    throw isTimeout(error) ? tooSlow(READ_MS, askedScope(access, request)) : error;
  }
}

async function answer(dependencies: SearchDependencies, access: Access, request: SearchRequest, began: number): Promise<SearchPage> {
  refuseNul([request.path, request.lang, request.symbol], "A filter holds a NUL character, which no path, language or name has.");
  const query = parseQuery(request.query, { symbol: request.symbol });
  const conditions = compileConditions(query);
  const cursors = cursorsOf(access, request);
  const position = cursors.read(request.cursor);
  const scope = scopeFor(access, request, query);
  const reached = await awaitCommit(dependencies.database, access, request);

  const offset = position?.offset ?? 0;
  const end = offset + request.limit;
  const { searched, chunks } = await dependencies.searchLimit.run(access.tenant.tenantId, dependencies.database.signal, async () => {
    const around = await readSearchable(dependencies.database, scope);
    const page = { from: offset, to: end };
    const folds = request.one_per_file === true;
    const finding = { ...around, scope, query, conditions, isDeep: false, page, kind: request.kind, folds };
    return { searched: around, chunks: await findChunks(dependencies, finding) };
  });
  const found = await rerank(dependencies, query, chunks);
  const results = presentResults(found.ranked.slice(offset, end), found.texts, { query, explain: request.explain === true });
  const here = { offset: end, builds: digest(dateBuilds(searched.repositories)), legs: answering(found.legs) };
  const nothing =
    found.ranked.length > 0
      ? []
      : await readAs(dependencies.database, scope.tenant, READ_MS, (transaction) => notesOnEmptyScope(transaction, scope));
  const isGuess = !found.isPartial && isOnlyNear(found, query);
  return {
    results,
    isGuess,
    ranked: { places: found.ranked.length, capped: found.isCapped },
    facets: presentFacets(found),
    legs: mapLegs(found.legs, ({ state }) => state),
    ...(found.reranker === undefined ? {} : { reranker: found.reranker }),
    index: presentIndex(searched.repositories, results),
    ...(reached === undefined ? {} : { min_commit: reached }),
    partial: found.isPartial || isCutShort(found.legs),
    notes: [
      ...query.notes,
      ...nothing,
      ...notesOnIndex(searched.all, scope),
      ...(reached?.reached === false ? [`The index does not hold ${reached.commit} yet; these results are of an older commit.`] : []),
      ...notesOnPaging(position, here),
      ...notesOnFinding(found, { query, isGuess, hasMore: end < found.ranked.length }),
    ],
    next_cursor: end < found.ranked.length ? cursors.write(here) : null,
    cursorAfter: (shown) => cursors.write({ ...here, offset: offset + shown }),
    query: presentQuery(query),
    ms: Math.round((performance.now() - began) * 10) / 10,
  };
}

/** Where a page begins, and what the pages before were made of. */
const positionSchema = z.object({
  offset: z.int().min(0).max(10_000),
  builds: z.string(),
  legs: z.int().min(0).max(7),
});
type Position = z.infer<typeof positionSchema>;

function cursorsOf(access: Access, { query, repo, ref, path, lang, symbol, kind, one_per_file: folds }: SearchRequest) {
  const question = [query, repo, ref, path, lang, symbol, kind, ...(folds === true ? [folds] : [])];
  return createSealedCursors(positionSchema, { access, name: "query", question });
}

function scopeFor(access: Access, request: SearchRequest, query: ParsedQuery): Scope {
  return { ...askedScope(access, request), filters: query.filters.length === 0 ? undefined : scopeFilters(query.filters) };
}

type Reranked = Found & { readonly reranker?: RerankerState };

/** Reranks for every page alike, so that all pages are of one order. */
async function rerank({ reranker, signal }: SearchDependencies, query: ParsedQuery, found: Found): Promise<Reranked> {
  return reranker === undefined || query.text === "" ? found : { ...found, ...(await reranker(found, query, signal)) };
}

/** The legs that answered, as bits, since what a cursor takes is no longer there for results. */
function answering(legs: Legs): number {
  const answered = legNameSchema.options.map((leg) => ["ok", "pending"].includes(legs[leg].state.state));
  return answered.reduce((bits, isAnswered, index) => bits + (isAnswered ? 2 ** index : 0), 0);
}

function isCutShort(legs: Legs): boolean {
  return Object.values(legs).some(({ state }) => state.state === "timeout");
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
  return before.legs === here.legs ? [] : ["Other legs answered than for the page before: some results may come twice or be left out."];
}

/** Whether none of the results holds a word of the query, though the legs that look for words have answered. */
function isOnlyNear({ ranked, legs }: Found, query: ParsedQuery): boolean {
  const isNear = ranked.every(({ ranks }) => ranks.bm25 === undefined && ranks.exact === undefined);
  return ranked.length > 0 && query.text !== "" && isNear && !isBroken(legs);
}

type Finding = { readonly query: ParsedQuery; readonly isGuess: boolean; readonly hasMore: boolean };

function notesOnFinding({ isPartial, isCapped, ranked }: Found, { query, isGuess, hasMore }: Finding): readonly string[] {
  if (isPartial) {
    return ["Not every place was held against the conditions: there may be more. Name a repository or a path, or use grep."];
  }
  const conditions = query.alternatives.flat().filter(({ negated }) => !negated);
  if (ranked.length === 0 && conditions.length > 0) {
    const isOfCase = conditions.every(({ kind }) => kind === "word");
    const what = isOfCase ? "holds the words in this case; without case:" : "holds all that is in quotes or slashes; without them";
    return [`No place ${what} the nearest ones are found.`];
  }
  if (ranked.length === 0 && query.queryTerms.length === 0 && query.text !== "") {
    return ["The query has no letter and no digit: it was only looked for as it is. grep finds punctuation, too."];
  }
  if (isGuess) {
    return ["No place holds the text or a word of it; these are only the nearest in meaning or spelling."];
  }
  return isCapped && !hasMore && ranked.length > 0
    ? [`Only the best ${ranked.length} places are ranked; narrow the query for others.`]
    : [];
}
