import type { Logger } from "@sightline/foundation/log";
import type { RerankerConfig } from "#config.ts";
import { createCircuit } from "#embedding/circuit.ts";
import { isProse } from "#retrieval/query/query-shape.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { RankedChunk, Texts } from "./rank.ts";
import { createRerankingModel, type RerankedText } from "./reranking-model.ts";

/** How the reranking ended. */
export type RerankerState = {
  readonly state: "ok" | "skipped" | "degraded" | "timeout";
  readonly reason?: string;
  readonly ms: number;
};

export type Reranked = { readonly ranked: readonly RankedChunk[]; readonly reranker: RerankerState };

/** Reorders the first results. It never throws and never waits longer than its deadline. */
export type Reranker = (given: Rerankable, query: ParsedQuery, signal?: AbortSignal) => Promise<Reranked>;

/** `texts` are those of the first {@link MAX_RERANKED}. */
type Rerankable = { readonly ranked: readonly RankedChunk[]; readonly texts: Texts };

type RerankerOptions = {
  readonly config: RerankerConfig;
  readonly log: Logger;
  /** For tests. */
  readonly timing?: RerankerTiming;
};

type RerankerTiming = { readonly deadlineMs: number; readonly pauseMs: number };

const TIMING: RerankerTiming = { deadlineMs: 800, pauseMs: 2_000 };
const MAX_PAUSE_MS = 60_000;

/** Text Embeddings Inference takes no more at once by default. */
export const MAX_RERANKED = 30;
/** Such models read about 500 tokens. */
const CHARACTERS = 2_000;

/**
 * The model that puts the answers to questions in order, behind a circuit breaker: after one search that it left waiting the next
 * do not wait, and one of them, without waiting either, finds out whether it is back.
 *
 * @returns `undefined` where no model is configured.
 * @throws {ConfigError} as `createRerankingModel`.
 */
export function createReranker({ config, log, timing = TIMING }: RerankerOptions): Reranker | undefined {
  const model = createRerankingModel(config);
  if (model === undefined) {
    return undefined;
  }
  const circuit = createCircuit({
    ...timing,
    maxPauseMs: MAX_PAUSE_MS,
    // In the log alone: a provider's words may hold what somebody else asked.
    onOpen: (reason) => log.warn({ reason }, "results are not reranked for now"),
  });

  return async ({ ranked, texts }, query, signal) => {
    const began = performance.now();
    const left = (state: RerankerState["state"], reason: string): Reranked => ({ ranked, reranker: { state, reason, ms: since(began) } });
    if (!isProse(query.shape)) {
      return left("skipped", "names and literals are in the order of what defines and holds them");
    }
    if (ranked.length < 2) {
      return left("skipped", "there is nothing to order");
    }
    const first = ranked.slice(0, MAX_RERANKED);
    const asked = first.map((chunk) => rerankedTextOf(chunk, texts.get(chunk.chunk_id) ?? ""));
    const { answer: scores, why } = await circuit.ask((waited) => model.score(query.text, asked, waited), signal);
    if (why === "late") {
      return left("timeout", `the reranker did not answer within ${timing.deadlineMs} ms`);
    }
    if (why === "failed") {
      return left("degraded", "the reranker failed; the server's log says why");
    }
    if (why !== undefined) {
      return left("degraded", `the reranker fails or is too slow; it is tried again in ${circuit.retryInSeconds()} s`);
    }
    return { ranked: [...inOrderOf(scores, first), ...ranked.slice(MAX_RERANKED)], reranker: { state: "ok", ms: since(began) } };
  };
}

function rerankedTextOf({ path, symbols }: RankedChunk, content: string): RerankedText {
  return { title: [path, ...symbols].join(" ").slice(0, CHARACTERS / 4), content: content.slice(0, CHARACTERS).toWellFormed() };
}

/** Each place keeps its former score, so that scores still fall from first to last; the model's score is listed as a factor. */
function inOrderOf(scores: readonly number[], chunks: readonly RankedChunk[]): readonly RankedChunk[] {
  return chunks
    .map((chunk, index) => ({ chunk, given: scores[index] ?? 0, index }))
    .toSorted((one, other) => other.given - one.given || one.index - other.index)
    .map(({ chunk, given }, place) => ({
      ...chunk,
      score: chunks[place]?.score ?? chunk.score,
      explain: () => ({ ...chunk.explain(), reranker: given }),
    }));
}

function since(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10;
}
