import { refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import { findByPath } from "#retrieval/scope/read-chunks.store.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { SegmentMemory } from "#retrieval/bm25/segment-memory.ts";
import type { Semaphore } from "@sightline/foundation/semaphore";
import type { LegName } from "#retrieval/ranking/fuse.ts";
import { runLeg, type LegAnswer, type LegOutcome } from "#retrieval/legs/leg.ts";
import { searchByMeaning, searchByWords, type Looking } from "#retrieval/legs/legs.ts";
import type { Conditions } from "#retrieval/patterns/match-conditions.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";
import type { Reranker } from "#retrieval/ranking/rerank.ts";
import { searchByConditions, searchExactly } from "#retrieval/legs/search-exactly.ts";
import type { Searched } from "#retrieval/scope/read-searchable.ts";

export type SearchDependencies = {
  readonly database: CodeIndexDatabase;
  /** Made once for each process that searches, by `createSearchState`. */
  readonly memory: SegmentMemory;
  readonly searchLimit: Semaphore;
  readonly embedder: QueryEmbedder | undefined;
  readonly reranker?: Reranker | undefined;
  /** Whether the ranking's trained model has a say (true). */
  readonly usesModel?: boolean | undefined;
  readonly log: Logger;
  /** Milliseconds that each leg may take. */
  readonly deadlines?: Readonly<Record<LegName, number>>;
  /** Aborted when nobody waits for the answer any more: what runs in the database for it is cancelled. */
  readonly signal?: AbortSignal | undefined;
};

const DEADLINES: Readonly<Record<LegName, number>> = { bm25: 1_500, exact: 2_000, semantic: 1_500 };

/**
 * The same for every page, whatever its size: else a place could be on two of them, or none. Twice as many give the same first ten
 * results (docs/benchmarks.md).
 */
export const HITS: Readonly<Record<LegName, number>> = { bm25: 150, exact: 100, semantic: 100 };
/** Used when a query's conditions leave too few of those. */
const DEEP_HITS: Readonly<Record<LegName, number>> = { bm25: 3_000, exact: 3_000, semantic: 500 };

export type Legs = Readonly<Record<LegName, LegOutcome>>;

/** What there is to search, and for what. */
export type Searching = Searched & {
  readonly scope: Scope;
  readonly query: ParsedQuery;
  readonly conditions: Conditions | undefined;
  /** Whether the usual number of hits was too small. */
  readonly isDeep: boolean;
};

/**
 * Asks the three legs at once; one that is slow or fails says so and the others answer.
 *
 * @throws {AppError} `search_failed` (503) when no leg could answer.
 */
export async function runLegs(dependencies: SearchDependencies, searching: Searching): Promise<Legs> {
  const { database, memory, embedder, log, deadlines = DEADLINES } = dependencies;
  const { scope, query, repositories, segments, vectors } = searching;
  const shared = { database, memory, scope, query, segments };
  if (repositories.length === 0) {
    return skipAll("no repository is indexed yet");
  }
  const looking = (leg: LegName): Looking => ({ ...shared, limit: hitsOf(leg, searching), deadlineMs: deadlines[leg] });
  const run = (leg: LegName, advice: string, find: () => Promise<LegAnswer>) =>
    runLeg({
      deadlineMs: deadlines[leg],
      advice,
      search: find,
      onError: (error) => {
        if (database.signal?.aborted !== true) {
          log.warn({ err: error, leg }, "a leg of a search failed");
        }
      },
    });
  const [semantic, bm25, exact] = await Promise.all([
    run("semantic", "name a repository", () => searchByMeaning({ ...looking("semantic"), embedder, repositories, vectors })),
    run("bm25", "name a repository", () => searchByWords(looking("bm25"))),
    run("exact", "add at least three characters in a row, or name a repository", () =>
      searchLetters(looking("exact"), searching.conditions),
    ),
  ]);
  database.signal?.throwIfAborted();
  refuseSilence([bm25, exact]);
  return { semantic, bm25, exact };
}

export function skipAll(reason: string): Legs {
  const nothing: LegOutcome = { chunkIds: [], state: { state: "skipped", reason, ms: 0, hits: 0 } };
  return { semantic: nothing, bm25: nothing, exact: nothing };
}

/** Whether there may be more places that hold what is looked for; by meaning there always are. */
export function isFull(legs: Legs, searching: Searching): boolean {
  return (["bm25", "exact"] as const).some((leg) => legs[leg].chunkIds.length >= hitsOf(leg, searching));
}

export function isBroken({ bm25, exact }: Legs): boolean {
  return [bm25, exact].some(({ state: { state } }) => state === "timeout" || state === "degraded");
}

function hitsOf(leg: LegName, { isDeep }: Searching): number {
  return (isDeep ? DEEP_HITS : HITS)[leg];
}

async function searchLetters(looking: Looking, conditions: Conditions | undefined): Promise<LegAnswer> {
  if (conditions?.areFindable === true) {
    return searchByConditions(looking, conditions);
  }
  return looking.query.places.length > 0 ? searchPlaces(looking) : searchExactly(looking);
}

/** What looks like a path may be the name of a file, or a text in one: both are searched. So are the files that a report names. */
async function searchPlaces(looking: Looking): Promise<LegAnswer> {
  const { database, scope, query, limit, deadlineMs } = looking;
  const isPath = query.shape === "path";
  const named = await readAs(database, scope.tenant, deadlineMs, async (transaction) => {
    const found: number[] = [];
    for (const { path, line } of query.places) {
      // A report's are often those of an installed copy: its last folder and name are looked for.
      const place = isPath ? { path, limit } : { path: path.split("/").slice(-2).join("/"), limit: CHUNKS_OF_NAMED_FILE };
      found.push(...(await findByPath(transaction, scope, { ...place, line })));
    }
    return found;
  });
  const found = await searchExactly(looking);
  return { ...found, chunkIds: [...new Set([...named, ...found.chunkIds])].slice(0, limit) };
}

/** Several files may end so: one chunk of each. */
const CHUNKS_OF_NAMED_FILE = 3;

/** Refuses to answer "nothing found" when no leg could search; a failure of the semantic leg alone is no reason. */
function refuseSilence(legs: readonly LegOutcome[]): void {
  const tried = legs.filter(({ state }) => state.state !== "skipped");
  if (tried.length > 0 && tried.every(({ state }) => state.state === "timeout" || state.state === "degraded")) {
    throw refusal(
      503,
      "search_failed",
      `No leg of the search could answer: ${tried.map(({ state }) => state.reason ?? state.state).join("; ")}.`,
    );
  }
}
