import { ConfigError, listConfigProblems } from "@sightline/foundation/config";
import { z } from "zod";
import type { RerankerConfig } from "#config.ts";
import { createGoogleTokens } from "#embedding/google-token.ts";
import { postJson, type ProviderCall } from "#embedding/post-json.ts";

/** A text that a model compares with the query. */
export type RerankedText = { readonly title: string; readonly content: string };

/** Asks a model how well each of the texts answers the query. */
export type RerankingModel = {
  /**
   * One score for each text, in their order.
   *
   * @throws when the provider can't be reached, refuses, or answers something else.
   */
  readonly score: (query: string, texts: readonly RerankedText[], signal: AbortSignal) => Promise<readonly number[]>;
};

/** Longest wait for the provider; the search itself gives up far earlier. */
const TIMEOUT_MS = 10_000;

/**
 * The model that `CODEINDEX_RERANKER_TYPE` names; `undefined` where there is none to ask.
 *
 * @throws {ConfigError} naming what it needs and is not set.
 */
export function createRerankingModel(config: RerankerConfig): RerankingModel | undefined {
  if (config.CODEINDEX_RERANKER_ENABLED === false) {
    return undefined;
  }
  if (config.CODEINDEX_RERANKER_TYPE === "http") {
    return createHttpModel(config);
  }
  return config.CODEINDEX_RERANKER_TYPE === "vertex" ? createVertexModel(config) : undefined;
}

/** Whether the built-in model orders what the legs found. */
export function ranksByFeatures({ CODEINDEX_RERANKER_ENABLED: isOn, CODEINDEX_RERANKER_TYPE: type }: RerankerConfig): boolean {
  return isOn !== false && type !== "none";
}

export function problemsOfReranker(config: RerankerConfig): readonly string[] {
  return listConfigProblems(() => createRerankingModel(config));
}

const indexedSchema = z.object({ index: z.int().min(0), relevance_score: z.number().optional(), score: z.number().optional() });
/** Text Embeddings Inference answers a list, the others an object that holds it. */
const httpAnswerSchema = z.union([
  z.array(indexedSchema),
  z.object({ results: z.array(indexedSchema) }).transform(({ results }) => results),
]);

function createHttpModel(config: RerankerConfig): RerankingModel {
  const { CODEINDEX_RERANKER_URL: url, CODEINDEX_RERANKER_API_KEY: key, CODEINDEX_RERANKER_MODEL: model } = config;
  if (url === undefined) {
    throw new ConfigError(["CODEINDEX_RERANKER_TYPE=http needs CODEINDEX_RERANKER_URL, which is not set"]);
  }
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    score: async (query, texts, signal) => {
      const documents = texts.map(({ title, content }) => `${title}\n${content}`);
      const body = model === undefined ? { query, texts: documents, truncate: true } : { model, query, documents, top_n: documents.length };
      const answer = await post({ url, headers, body }, key === undefined ? [] : [key], signal);
      const found = httpAnswerSchema.safeParse(answer);
      const scores = (found.data ?? []).map(({ index, score, relevance_score: relevance }) => [index, relevance ?? score] as const);
      return inOrder(
        new Map(scores),
        texts.map((_, index) => index),
      );
    },
  };
}

const vertexAnswerSchema = z.object({ records: z.array(z.object({ id: z.string(), score: z.number().optional() })) });

/** Google Cloud's ranking API (`rankingConfigs:rank`), with the application-default credentials of wherever this runs. */
function createVertexModel(config: RerankerConfig): RerankingModel {
  const { CODEINDEX_CLOUD_PROJECT: project, CODEINDEX_RERANKER_URL: base = "https://discoveryengine.googleapis.com" } = config;
  if (project === undefined) {
    throw new ConfigError(["CODEINDEX_RERANKER_TYPE=vertex needs CODEINDEX_CLOUD_PROJECT, which is not set"]);
  }
  const model = config.CODEINDEX_RERANKER_MODEL ?? "semantic-ranker-default@latest";
  const url = `${base.replace(/\/$/, "")}/v1/projects/${project}/locations/global/rankingConfigs/default_ranking_config:rank`;
  const accessToken = createGoogleTokens(project);
  return {
    score: async (query, texts, signal) => {
      const records = texts.map((text, index) => ({ id: String(index), ...text }));
      const headers = { authorization: `Bearer ${await accessToken(signal)}`, "x-goog-user-project": project };
      const body = { model, query, records, topN: records.length, ignoreRecordDetailsInResponse: true };
      const answer = vertexAnswerSchema.safeParse(await post({ url, headers, body }, [], signal));
      // A score of 0 is left out, as everywhere in its JSON.
      const scores = (answer.data?.records ?? []).map(({ id, score = 0 }) => [id, score] as const);
      return inOrder(
        new Map(scores),
        records.map(({ id }) => id),
      );
    },
  };
}

function post(call: ProviderCall, secrets: readonly string[], signal: AbortSignal): Promise<unknown> {
  return postJson({ call, timeoutMs: TIMEOUT_MS, signal, secrets });
}

function inOrder<Id>(scores: ReadonlyMap<Id, number | undefined>, ids: readonly Id[]): readonly number[] {
  return ids.map((id) => {
    const score = scores.get(id);
    if (score === undefined || !Number.isFinite(score)) {
      throw new Error("the reranker's answer has no score for some of the texts");
    }
    return score;
  });
}
