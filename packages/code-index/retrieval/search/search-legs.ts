import { refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { SegmentMemory } from "#retrieval/bm25/segment-memory.ts";
import type { Semaphore } from "@sightline/foundation/semaphore";
import { legNameSchema, mapLegs, type LegName } from "#contract.ts";
import { runLeg, type Leg, type LegOutcome } from "#retrieval/legs/leg.ts";
import { LEGS } from "#retrieval/legs/legs.ts";
import type { Conditions } from "#retrieval/patterns/match-conditions.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { Reranker } from "#retrieval/ranking/rerank.ts";
import { BUSY } from "#retrieval/scope/read-scope.ts";
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

export type Legs = Readonly<Record<LegName, LegOutcome>>;

/** How much longer the legs may take when none had time to answer. */
const PATIENCE = 2;

const TEXT_LEGS = legNameSchema.options.filter((leg) => LEGS[leg].findsText);

/** What there is to search, and for what. */
export type Searching = Searched & {
  readonly scope: Scope;
  readonly query: ParsedQuery;
  readonly conditions: Conditions | undefined;
  /** Whether the usual number of hits was too small. */
  readonly isDeep: boolean;
};

/**
 * Asks all legs at once; one that is slow or fails says so and the others answer.
 *
 * @throws {AppError} `search_failed` (503) when no leg could answer.
 */
export async function runLegs(dependencies: SearchDependencies, searching: Searching): Promise<Legs> {
  const { database, memory, embedder, log, deadlines } = dependencies;
  if (searching.repositories.length === 0) {
    return skipAll("no repository is indexed yet");
  }
  // Whoever named a repository and a word can't narrow it down any more.
  const isNarrow = searching.repositories.length === 1 && /\S{3}/u.test(searching.query.text);
  const run = ({ search, advice, ...leg }: Leg, name: LegName, times: number) => {
    const deadlineMs = (deadlines?.[name] ?? leg.deadlineMs) * times;
    return runLeg({
      deadlineMs,
      advice: isNarrow ? BUSY : advice,
      search: () => search({ database, memory, embedder, ...searching, limit: hitsOf(name, searching), deadlineMs }),
      onError: (error) => {
        if (database.signal?.aborted !== true) {
          log.warn({ err: error, leg: name }, "a leg of a search failed");
        }
      },
    });
  };
  const runAll = async (times: number) => {
    const answered = await Promise.all(legNameSchema.options.map(async (name) => [name, await run(LEGS[name], name, times)] as const));
    database.signal?.throwIfAborted();
    return Object.fromEntries(answered) as Legs;
  };
  const first = await runAll(1);
  const outcomes = TEXT_LEGS.every((leg) => first[leg].state.state === "timeout") ? await runAll(PATIENCE) : first;
  refuseSilence(outcomes);
  return outcomes;
}

export function skipAll(reason: string): Legs {
  return mapLegs(LEGS, () => ({ chunkIds: [], state: { state: "skipped", reason, ms: 0, hits: 0 } }));
}

/** Whether there may be more places that hold what is looked for; by meaning there always are. */
export function isFull(legs: Legs, searching: Searching): boolean {
  return TEXT_LEGS.some((leg) => legs[leg].chunkIds.length >= hitsOf(leg, searching));
}

export function isBroken(legs: Legs): boolean {
  return TEXT_LEGS.some((leg) => hasFailed(legs[leg]));
}

function hasFailed({ state: { state } }: LegOutcome): boolean {
  return state === "timeout" || state === "degraded";
}

function hitsOf(leg: LegName, { isDeep }: Searching): number {
  return LEGS[leg].hits[isDeep ? "deep" : "usual"];
}

/** Refuses to answer "nothing found" when no leg could search; a failure of the semantic leg alone is no reason. */
function refuseSilence(legs: Legs): void {
  const tried = TEXT_LEGS.map((leg) => legs[leg]).filter(({ state }) => state.state !== "skipped");
  if (tried.length > 0 && tried.every(hasFailed)) {
    throw refusal(
      503,
      "search_failed",
      `No leg of the search could answer: ${tried.map(({ state }) => state.reason ?? state.state).join("; ")}.`,
    );
  }
}
