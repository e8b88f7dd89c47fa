import { LATE, within } from "@sightline/foundation/deadline";
import type { z } from "zod";
import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import type { SegmentMemory } from "#retrieval/bm25/segment-memory.ts";
import type { Conditions } from "#retrieval/patterns/match-conditions.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { Searched } from "#retrieval/scope/read-searchable.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { WordScores } from "#retrieval/bm25/score-postings.ts";
import type { legStateSchema } from "#contract.ts";
import { isTimeout } from "#retrieval/scope/read-scope.ts";
import type { Compared } from "#store/index/read-vectors.store.ts";

type LegState = z.infer<typeof legStateSchema>;

/** The input of each leg. */
export type LegQuery = Searched & {
  readonly database: CodeIndexDatabase;
  readonly memory: SegmentMemory;
  readonly embedder?: QueryEmbedder | undefined;
  readonly scope: Scope;
  readonly query: ParsedQuery;
  readonly conditions?: Conditions | undefined;
  /** Hits wanted at the most. */
  readonly limit: number;
  readonly deadlineMs: number;
};

/** A search method. A new one is its file, its line in legs.ts, its name in the contract and its weight in ranking/fuse.ts. */
export type Leg = {
  readonly deadlineMs: number;
  /**
   * The same for every page, whatever its size: else a place could be on two of them, or none. Twice as many give the same first ten
   * results (docs/benchmarks/2026-11-27.md). The deep number is used when a query's conditions leave too few.
   */
  readonly hits: Readonly<Record<"usual" | "deep", number>>;
  /** The advice when it was too slow. */
  readonly advice: string;
  /** Whether it finds all places that hold what the query says; a leg by meaning always finds something, and never all. */
  readonly findsText: boolean;
  readonly search: (query: LegQuery) => Promise<LegAnswer>;
};

/** What a leg found, best first; a leg that can't look says why. */
export type LegAnswer = {
  readonly chunkIds: readonly number[];
  /** `ok` when left out. */
  readonly state?: LegState["state"];
  readonly reason?: string;
  /** What it compares, of the leg for which that depends on the embedder. */
  readonly by?: LegState["by"];
  /** How chunks hold the query's words, from the leg that knows. */
  readonly words?: WordScores;
  /** The query's vector, and whose vectors it is held against, from the leg that knows. */
  readonly compared?: Compared;
  /** True when no other chunk meets the query's conditions. */
  readonly isComplete?: boolean;
};

export type LegOutcome = Pick<LegAnswer, "chunkIds" | "words" | "compared" | "isComplete"> & { readonly state: LegState };

type Running = {
  readonly deadlineMs: number;
  readonly search: () => Promise<LegAnswer>;
  /** What to do about a leg that was too slow. */
  readonly advice: string;
  readonly onError: (error: unknown) => void;
};

/** A little more than the database's own limit, so that the database gives up first and frees its connection. */
const GRACE_MS = 100;

/** Runs a leg so that it can't sink the answer: too slow is `timeout`, anything thrown is `degraded`. */
export async function runLeg({ deadlineMs, search, advice, onError }: Running): Promise<LegOutcome> {
  const began = performance.now();
  const finish = (chunkIds: readonly number[], state: LegState["state"], reason?: string): LegOutcome => ({
    chunkIds,
    state: {
      state,
      ...(reason === undefined ? {} : { reason }),
      ms: Math.round((performance.now() - began) * 10) / 10,
      hits: chunkIds.length,
    },
  });
  try {
    const answer = await within(search, deadlineMs + GRACE_MS);
    if (answer === LATE) {
      return finish([], "timeout", late(deadlineMs, advice));
    }
    const { chunkIds, state = "ok", reason, by, isComplete = false, ...known } = answer;
    const finished = finish(chunkIds, state, reason);
    return { ...known, ...finished, ...(by === undefined ? {} : { state: { ...finished.state, by } }), isComplete };
  } catch (error) {
    if (isTimeout(error)) {
      return finish([], "timeout", late(deadlineMs, advice));
    }
    onError(error);
    return finish([], "degraded", "failed; the server's log says why");
  }
}

function late(deadlineMs: number, advice: string): string {
  return `no answer within ${deadlineMs} ms; ${advice}`;
}
