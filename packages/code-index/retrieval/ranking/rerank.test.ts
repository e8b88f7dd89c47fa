import type { ServerResponse } from "node:http";
import { ConfigError } from "@sightline/foundation/config";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RerankerConfig } from "#config.ts";
import { startMetadataServer } from "#testing/metadata-server.ts";
import { startRerankingProvider, type RerankingProvider } from "#testing/reranking-provider.ts";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import type { RankedChunk, Texts } from "./rank.ts";
import { createReranker, type Reranked, type Reranker } from "./rerank.ts";
import { ranksByFeatures } from "./reranking-model.ts";

let provider: RerankingProvider;

beforeEach(async () => {
  provider = await startRerankingProvider();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await provider.close();
});

const QUESTION = "where are old sessions removed";
const DEADLINE_MS = 5_000;

function create(config: RerankerConfig, { deadlineMs = DEADLINE_MS, pauseMs = 60_000 } = {}): Reranker {
  const reranker = createReranker({
    config: { CODEINDEX_RERANKER_TYPE: "http", ...config },
    log: silentLog,
    timing: { deadlineMs, pauseMs },
  });
  if (reranker === undefined) {
    throw new Error("No reranker was made.");
  }
  return reranker;
}

const explain = () => ({ path: 1, names: 1, kind: 1, spread: 1 });

/** `a.ts`, `b.ts` … with falling scores. */
function chunks(count: number): { readonly ranked: readonly RankedChunk[]; readonly texts: Texts } {
  const ranked = Array.from({ length: count }, (_, index) => ({
    chunk_id: index,
    repo: "o/r",
    ref: "main",
    commit: "c",
    path: `${String.fromCharCode(97 + index)}.ts`,
    language: "typescript",
    start_line: 1,
    end_line: 9,
    symbols: [`name${index}`],
    types: [],
    score: count - index,
    fused: 1,
    explain,
    matchedCommitTerms: [],
    ranks: {},
  }));
  return { ranked, texts: new Map(ranked.map(({ chunk_id: id }) => [id, `text ${id} ${"x".repeat(5_000)}`])) };
}

function namesOf({ ranked }: Reranked): string {
  return ranked.map(({ path }) => path.replace(".ts", "")).join("");
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

test("without a model's name it speaks as Text Embeddings Inference does", async () => {
  provider.answerWith((_request, response) =>
    json(response, 200, [
      { index: 2, score: 0.9 },
      { index: 0, score: 0.2 },
      { index: 1, score: 0.1 },
    ]),
  );
  const answer = await create({ CODEINDEX_RERANKER_URL: `${provider.url}/rerank` })(chunks(3), parseQuery(QUESTION));
  expect(namesOf(answer)).toBe("cab");
  expect(answer.ranked.map(({ score }) => score)).toEqual([3, 2, 1]);
  expect(answer.ranked[0]?.explain()).toMatchObject({ reranker: 0.9 });
  expect(answer.reranker).toEqual({ state: "ok", ms: expect.any(Number) });
  const [request] = provider.requests;
  expect(request).toMatchObject({ path: "/rerank", body: { query: QUESTION, truncate: true } });
  expect(request?.headers.authorization).toBeUndefined();
  const texts = request?.body["texts"] as string[];
  expect(texts).toHaveLength(3);
  expect(texts[0]).toMatch(/^a\.ts name0\ntext 0 x+$/);
  expect(texts[0]?.length).toBeLessThan(2_100);
});

test("with a model's name and key it speaks as Cohere, Jina and vLLM do", async () => {
  provider.answerWith((_request, response) =>
    json(response, 200, {
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.2 },
      ],
    }),
  );
  const config = { CODEINDEX_RERANKER_URL: provider.url, CODEINDEX_RERANKER_MODEL: "best", CODEINDEX_RERANKER_API_KEY: "secret-key" };
  expect(namesOf(await create(config)(chunks(2), parseQuery(QUESTION)))).toBe("ba");
  expect(provider.requests[0]).toMatchObject({
    headers: { authorization: "Bearer secret-key" },
    body: { model: "best", query: QUESTION, documents: [expect.any(String), expect.any(String)], top_n: 2 },
  });
});

test("Google Cloud's ranking API is asked with the machine's credentials", async () => {
  const metadata = await startMetadataServer();
  vi.stubEnv("GCE_METADATA_HOST", metadata.url);
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "");
  vi.stubEnv("HOME", "/nonexistent");
  provider.answerWith((_request, response) => json(response, 200, { records: [{ id: "1", score: 0.7 }, { id: "0" }] }));
  const config = { CODEINDEX_RERANKER_TYPE: "vertex", CODEINDEX_RERANKER_URL: provider.url, CODEINDEX_CLOUD_PROJECT: "ours" } as const;
  expect(namesOf(await create(config)(chunks(2), parseQuery(QUESTION)))).toBe("ba");
  expect(provider.requests[0]).toMatchObject({
    path: "/v1/projects/ours/locations/global/rankingConfigs/default_ranking_config:rank",
    headers: { authorization: "Bearer machine-token", "x-goog-user-project": "ours" },
    body: { model: "semantic-ranker-default@latest", query: QUESTION, topN: 2, records: [{ id: "0", title: "a.ts name0" }, { id: "1" }] },
  });
  await metadata.close();
});

test("thirty texts are sent at the most, and what is behind them stays behind them", async () => {
  provider.answerWith((request, response) =>
    json(
      response,
      200,
      (request.body["texts"] as string[]).map((_, index) => ({ index, score: index })),
    ),
  );
  const answer = await create({ CODEINDEX_RERANKER_URL: provider.url })(chunks(40), parseQuery(QUESTION));
  expect(provider.requests[0]?.body["texts"]).toHaveLength(30);
  expect(answer.ranked.map(({ chunk_id: id }) => id)).toEqual([
    ...Array.from({ length: 30 }, (_, index) => 29 - index),
    30,
    31,
    32,
    33,
    34,
    35,
    36,
    37,
    38,
    39,
  ]);
});

test("one that hangs costs one search its deadline, and the next nothing; a probe finds out that it is back", async () => {
  const deadlineMs = 300;
  const hanging: ServerResponse[] = [];
  provider.answerWith((_request, response) => hanging.push(response));
  const rerank = create({ CODEINDEX_RERANKER_URL: provider.url }, { deadlineMs, pauseMs: 1 });
  const first = await rerank(chunks(2), parseQuery(QUESTION));
  expect(first).toMatchObject({
    ranked: chunks(2).ranked,
    reranker: { state: "timeout", reason: `the reranker did not answer within ${deadlineMs} ms` },
  });
  provider.answerWith((_request, response) =>
    json(response, 200, [
      { index: 0, score: 0 },
      { index: 1, score: 1 },
    ]),
  );
  const seen: string[] = [];
  await vi.waitFor(async () => {
    const { reranker } = await rerank(chunks(2), parseQuery(QUESTION));
    seen.push(reranker.state);
    expect(reranker.state === "ok" || reranker.ms < deadlineMs).toBe(true);
    expect(reranker.state).toBe("ok");
  });
  expect(seen).toContain("degraded");
  hanging.forEach((response) => response.destroy());
});

test.for([
  ["an error", (response: ServerResponse) => json(response, 500, { error: "out of memory: secret-key" })],
  ["a broken connection", (response: ServerResponse) => response.destroy()],
  ["a page", (response: ServerResponse) => response.end("<html>")],
  ["another shape", (response: ServerResponse) => json(response, 200, { scores: [1, 2] })],
  ["too few scores", (response: ServerResponse) => json(response, 200, [{ index: 1, score: 1 }])],
  ["scores that are no numbers", (response: ServerResponse) => json(response, 200, [{ index: 0, score: "1" }])],
  ["a redirect", (response: ServerResponse) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end()],
] as const)("%s leaves the order as it was, says so, and is not asked again at once", async ([, how]) => {
  provider.answerWith((_request, response) => how(response));
  const rerank = create({ CODEINDEX_RERANKER_URL: provider.url, CODEINDEX_RERANKER_API_KEY: "secret-key" });
  const answer = await rerank(chunks(2), parseQuery(QUESTION));
  expect(answer).toMatchObject({
    ranked: chunks(2).ranked,
    reranker: { state: "degraded", reason: "the reranker failed; the server's log says why" },
  });
  const next = await rerank(chunks(2), parseQuery(QUESTION));
  expect(next.reranker.reason).toMatch(/^the reranker fails or is too slow; it is tried again in \d+ s$/);
  expect(provider.requests).toHaveLength(1);
});

test("who went away is no failure of the reranker", async () => {
  const left = new AbortController();
  provider.answerWith(() => left.abort());
  const rerank = create({ CODEINDEX_RERANKER_URL: provider.url });
  expect(await rerank(chunks(2), parseQuery(QUESTION), left.signal)).toMatchObject({
    ranked: chunks(2).ranked,
    reranker: { state: "degraded" },
  });
  provider.answerWith((_request, response) =>
    json(response, 200, [
      { index: 0, score: 0 },
      { index: 1, score: 1 },
    ]),
  );
  expect(namesOf(await rerank(chunks(2), parseQuery(QUESTION)))).toBe("ba");
});

test("names and literals are not sent anywhere", async () => {
  const rerank = create({ CODEINDEX_RERANKER_URL: provider.url });
  for (const query of ["parseHeader", '"old session"']) {
    expect(await rerank(chunks(2), parseQuery(query))).toMatchObject({ ranked: chunks(2).ranked, reranker: { state: "skipped" } });
  }
  expect(await rerank(chunks(1), parseQuery(QUESTION))).toMatchObject({ reranker: { state: "skipped" } });
  expect(provider.requests).toHaveLength(0);
});

test("what a model needs and is not set is told at the start; off is off", () => {
  const made = (config: RerankerConfig) => createReranker({ config, log: silentLog });
  expect(() => made({ CODEINDEX_RERANKER_TYPE: "http" })).toThrow(
    new ConfigError(["CODEINDEX_RERANKER_TYPE=http needs CODEINDEX_RERANKER_URL, which is not set"]),
  );
  expect(() => made({ CODEINDEX_RERANKER_TYPE: "vertex" })).toThrow("CODEINDEX_CLOUD_PROJECT");
  expect(made({ CODEINDEX_RERANKER_TYPE: "http", CODEINDEX_RERANKER_ENABLED: false })).toBeUndefined();
  expect(made({ CODEINDEX_RERANKER_TYPE: "features" })).toBeUndefined();
  expect(made({ CODEINDEX_RERANKER_TYPE: "none" })).toBeUndefined();
});

test("`none` and `false` switch the built-in reranking off, too", () => {
  expect(ranksByFeatures({ CODEINDEX_RERANKER_TYPE: "features" })).toBe(true);
  expect(ranksByFeatures({ CODEINDEX_RERANKER_TYPE: "none" })).toBe(false);
  expect(ranksByFeatures({ CODEINDEX_RERANKER_ENABLED: false })).toBe(false);
});
