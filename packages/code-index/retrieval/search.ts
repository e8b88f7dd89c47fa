import { AppError } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { SearchAnswer, SearchRequest, SearchResult } from "#contract.ts";
import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import { readChunks } from "#store/read-chunks.store.ts";
import { readAs } from "#store/read-as.store.ts";
import { repositoriesInScope, type Access, type RepositoryInScope, type Scope } from "#store/read-scope.store.ts";
import { storedEmbedders, type StoredEmbedder } from "#store/read-vectors.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { termsOf } from "#store/terms.ts";
import { fuse, type FusedChunk, type LegName } from "./fuse.ts";
import { runLeg, type LegOutcome } from "./leg.ts";
import { searchByMeaning, searchByWords, type Looking } from "./legs.ts";
import { matchedLines } from "./matched-lines.ts";
import { parseQuery, type ParsedQuery } from "./query.ts";
import { rank, type RankedChunk } from "./rank.ts";
import { searchExactly } from "./search-exactly.ts";
import { refuseHiddenRepository } from "./repository-errors.ts";

export type SearchDependencies = {
  readonly database: CodeIndexDatabase;
  readonly embedder: QueryEmbedder | undefined;
  readonly log: Logger;
  /** Milliseconds that each leg may take. */
  readonly deadlines?: Readonly<Record<LegName, number>>;
};

const DEADLINES: Readonly<Record<LegName, number>> = { bm25: 1_500, exact: 2_000, semantic: 1_500 };
const READ_MS = 3_000;

/** Chunks asked of each leg for every one wanted, and in all. */
const OVERFETCH = 10;
const LEG_HITS: Readonly<Record<LegName, number>> = { bm25: 300, exact: 150, semantic: 100 };
const CANDIDATES = 300;

/** Characters of a chunk in an answer. */
const CONTENT = 8_000;

/**
 * Finds the places in a tenant's indexed code that answer a query: three legs at once, fused and ranked.
 * A leg that is slow or fails is named in `legs` and the others answer.
 *
 * @throws {AppError} `invalid_query` (400), `repository_not_found` (404), `repository_not_indexed` (409),
 * `search_failed` (500) when no leg could answer.
 */
export async function search(dependencies: SearchDependencies, access: Access, request: SearchRequest): Promise<SearchAnswer> {
  const began = performance.now();
  const query = parseQuery(request.query);
  const scope: Scope = {
    ...access,
    repo: request.repo,
    ref: request.ref,
    path: filterText(request.path),
    lang: filterText(request.lang),
  };
  const searched = await lookAround(dependencies.database, scope);

  const { legs, ranked } = await searchOnce(dependencies, { scope, query, ...searched, limit: request.limit });
  return {
    results: ranked.slice(0, request.limit).map((chunk) => present(chunk, query)),
    legs: { semantic: legs.semantic.state, bm25: legs.bm25.state, exact: legs.exact.state },
    ms: Math.round((performance.now() - began) * 10) / 10,
  };
}

function filterText(text: string | undefined): string | undefined {
  if (text?.includes("\0") === true) {
    throw new AppError({ code: "invalid_query", status: 400, message: "A filter holds a NUL character, which no path or language has." });
  }
  return text === "" ? undefined : text;
}

/** What there is to search. */
type Searched = {
  readonly repositories: readonly RepositoryInScope[];
  /** Whose vectors are searched; undefined before there are any. */
  readonly vectors: StoredEmbedder | undefined;
};

async function lookAround(database: CodeIndexDatabase, scope: Scope): Promise<Searched> {
  if (scope.repo?.includes("\0") === true) {
    return refuseHiddenRepository(database, scope, undefined);
  }
  const { found, vectors } = await readAs(database, scope.tenant, READ_MS, async (transaction) => {
    const [inUse] = await storedEmbedders(transaction, scope.tenant);
    return { found: await repositoriesInScope(transaction, scope), vectors: inUse };
  });
  const repositories = found.filter((repository) => repository.generation !== null);
  if (repositories.length === 0 && (scope.repo !== undefined || scope.ref !== undefined)) {
    await refuseHiddenRepository(database, scope, found[0]);
  }
  return { repositories, vectors };
}

type Searching = Searched & {
  readonly scope: Scope;
  readonly query: ParsedQuery;
  readonly limit: number;
};

type Found = { readonly legs: Readonly<Record<LegName, LegOutcome>>; readonly ranked: readonly RankedChunk[] };

async function searchOnce(dependencies: SearchDependencies, searching: Searching, again = true): Promise<Found> {
  const { scope, query } = searching;
  const legs = await runLegs(dependencies, searching);
  const fused = fuse({ semantic: legs.semantic.chunkIds, bm25: legs.bm25.chunkIds, exact: legs.exact.chunkIds }, query.shape).slice(
    0,
    CANDIDATES,
  );
  if (fused.length === 0) {
    return { legs, ranked: [] };
  }
  const chunkIds = fused.map((chunk) => chunk.chunkId);
  const chunks = await readAs(dependencies.database, scope.tenant, READ_MS, (transaction) => readChunks(transaction, scope, chunkIds));
  // A newer build took an index's place between the legs and now: what the legs found is gone, so look there.
  if (chunks.length < fused.length && again) {
    return searchOnce(dependencies, searching, false);
  }
  const byId = new Map<number, FusedChunk>(fused.map((chunk) => [chunk.chunkId, chunk]));
  const coverageOf = legs.bm25.coverageOf ?? (() => 0);
  const candidates = chunks.flatMap((chunk) => {
    const found = byId.get(chunk.chunk_id);
    return found === undefined ? [] : [{ fused: found, chunk, coverage: coverageOf(chunk.chunk_id) }];
  });
  return { legs, ranked: rank(candidates, query) };
}

async function runLegs(dependencies: SearchDependencies, searching: Searching): Promise<Readonly<Record<LegName, LegOutcome>>> {
  const { database, embedder, log, deadlines = DEADLINES } = dependencies;
  const { scope, query, repositories, vectors, limit } = searching;
  if (repositories.length === 0) {
    const state = { state: "skipped", reason: "no repository is indexed yet", ms: 0, hits: 0 } as const;
    const nothing: LegOutcome = { chunkIds: [], state };
    return { semantic: nothing, bm25: nothing, exact: nothing };
  }
  const looking = (leg: LegName): Looking => ({
    database,
    scope,
    query,
    limit: Math.max(LEG_HITS[leg], limit * OVERFETCH),
    deadlineMs: deadlines[leg],
  });
  const run = (leg: LegName, advice: string, find: () => ReturnType<typeof searchByWords>) =>
    runLeg({
      deadlineMs: deadlines[leg],
      advice,
      search: find,
      onError: (error) => log.warn({ err: error, leg }, "a leg of a search failed"),
    });
  const [semantic, bm25, exact] = await Promise.all([
    run("semantic", "name a repository", () => searchByMeaning({ ...looking("semantic"), embedder, repositories, vectors })),
    run("bm25", "name a repository", () => searchByWords(looking("bm25"))),
    run("exact", "add at least three letters or digits in a row, or name a repository", () => searchExactly(looking("exact"))),
  ]);
  refuseSilence([semantic, bm25, exact]);
  return { semantic, bm25, exact };
}

/** Nothing found because nothing was looked at is not an answer. */
function refuseSilence(legs: readonly LegOutcome[]): void {
  const tried = legs.filter(({ state }) => state.state !== "skipped" && state.state !== "pending");
  if (tried.length > 0 && tried.every(({ state }) => state.state === "timeout" || state.state === "degraded")) {
    throw new AppError({
      code: "search_failed",
      status: 500,
      message: `No leg of the search could answer: ${tried.map(({ state }) => state.reason ?? state.state).join("; ")}.`,
    });
  }
}

function present(chunk: RankedChunk, query: ParsedQuery): SearchResult {
  return {
    repo: chunk.repo,
    ref: chunk.ref,
    commit: chunk.commit,
    path: chunk.path,
    language: chunk.language,
    start_line: chunk.start_line,
    end_line: chunk.end_line,
    symbol: symbolFor(chunk.symbols, query),
    content: chunk.content.slice(0, CONTENT),
    matched_lines: matchedLines(chunk, query),
    score: Math.round(chunk.score * 10_000) / 10_000,
    legs: chunk.ranks,
  };
}

/** Of the names a chunk defines the one the query is nearest to: asked for, or made of the most of its words. */
function symbolFor(symbols: readonly string[], { names, concepts }: ParsedQuery): string | null {
  const asked = new Set(names.map((name) => name.toLowerCase()));
  const words = new Set(concepts.flatMap((concept) => concept.terms));
  const nearness = (symbol: string) =>
    asked.has(symbol.toLowerCase()) ? CERTAIN : termsOf(symbol).filter((term) => words.has(term)).length;
  return symbols.toSorted((one, other) => nearness(other) - nearness(one))[0] ?? null;
}

/** More than a name has words. */
const CERTAIN = 1_000;
