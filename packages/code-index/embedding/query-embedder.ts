import type { Logger } from "@sightline/foundation/log";
import { LRUCache } from "lru-cache";
import type { EmbeddingConfig } from "#config.ts";
import { createCircuit } from "./circuit.ts";
import { createEmbedder, createFormerEmbedder } from "./create-embedder.ts";
import type { Embedder, EmbedderIdentity } from "./embedder.ts";

/** A query's vector, or the state of the semantic leg without one. */
export type QueryVector = { readonly vector: Float32Array } | QueryWithoutVector;

type QueryWithoutVector = { readonly state: "skipped" | "pending" | "degraded"; readonly reason: string };

export type QueryEmbedder = {
  /** The identity of the configured embedder; the vectors in use may still be of another one. */
  readonly identity: EmbedderIdentity;
  /** In the space that the key names. Never throws, and never waits longer than its deadline. */
  readonly embed: (query: string, key: string) => Promise<QueryVector>;
};

type QueryEmbedderOptions = {
  readonly config: EmbeddingConfig;
  readonly log: Logger;
  /** For tests. */
  readonly timing?: QueryTiming;
};

type QueryTiming = { readonly deadlineMs: number; readonly pauseMs: number };

const TIMING: QueryTiming = { deadlineMs: 400, pauseMs: 1_000 };
const MAX_PAUSE_MS = 30_000;
/** Queries whose vectors are kept, for further pages and repeated questions. */
const MAX_RECENT = 500;
/** What comes after the deadline still says whether the provider lives, and is there when the same is asked again. */
const LATE_MS = 10_000;

/**
 * Makes queries' vectors, with the provider behind a circuit breaker: after one query that got none in time the next do
 * not wait, and one of them, without waiting either, finds out whether the provider is back.
 *
 * @returns `undefined` for the embedder `none`.
 * @throws {ConfigError} as `createEmbedder`.
 */
export function createQueryEmbedder({ config, log, timing = TIMING }: QueryEmbedderOptions): QueryEmbedder | undefined {
  const configured = createEmbedder(config);
  if (configured === undefined) {
    return undefined;
  }
  const byKey = new Map<string, EmbedQuery | undefined>([[configured.identity.key, createEmbedQuery(configured, { log, timing })]]);
  return {
    identity: configured.identity,
    embed: async (query, key) => {
      if (!byKey.has(key)) {
        const former = createFormerEmbedder(config, key);
        byKey.set(key, former === undefined ? undefined : createEmbedQuery(former, { log, timing }));
      }
      const embedQuery = byKey.get(key);
      return embedQuery === undefined
        ? {
            state: "pending",
            reason: `the vectors there are were made by an embedder that is not configured any more; those of ${configured.identity.model} are being made`,
          }
        : embedQuery(query);
    },
  };
}

type EmbedQuery = (query: string) => Promise<QueryVector>;

type EmbedQueryOptions = { readonly log: Logger; readonly timing: QueryTiming };

function createEmbedQuery(embedder: Embedder, { log, timing }: EmbedQueryOptions): EmbedQuery {
  const circuit = createCircuit({
    ...timing,
    maxPauseMs: MAX_PAUSE_MS,
    // In the log alone: a provider's words may hold what somebody else asked.
    onOpen: (reason) => log.warn({ reason, embedder: embedder.identity.key }, "queries are not embedded for now; the other legs answer"),
  });
  const recent = new LRUCache<string, QueryVector>({ max: MAX_RECENT });

  async function make(query: string): Promise<QueryVector> {
    const [outcome] = await embedder.embed([query], { purpose: "query", signal: AbortSignal.timeout(LATE_MS) });
    const answer = presentOutcome(outcome);
    recent.set(query, answer);
    return answer;
  }

  return async (query) => {
    const known = recent.get(query);
    if (known !== undefined) {
      return known;
    }
    if (embedder.local) {
      return make(query);
    }
    const { answer, why } = await circuit.ask(() => make(query));
    if (why === "late") {
      return { state: "degraded", reason: `the embedder's provider did not answer within ${timing.deadlineMs} ms` };
    }
    return why === undefined ? answer : unavailable(HOW[why], circuit.retryInSeconds());
  };
}

function presentOutcome(outcome: Awaited<ReturnType<Embedder["embed"]>>[number] | undefined): QueryVector {
  if (outcome === undefined || "refused" in outcome) {
    return { state: "skipped", reason: `the query can't be embedded: ${outcome?.refused ?? "no answer"}` };
  }
  return outcome.vector.every((value) => value === 0) ? { state: "skipped", reason: "the query has no word" } : outcome;
}

const HOW = { failed: "fails", probed: "is being tried again", open: "fails or is too slow" } as const;

function unavailable(how: string, seconds: number): QueryWithoutVector {
  const again = seconds > 0 ? `; it is tried again in ${seconds} s` : "";
  return { state: "degraded", reason: `the embedder's provider ${how}${again}` };
}
