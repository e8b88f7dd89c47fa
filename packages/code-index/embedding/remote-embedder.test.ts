import { afterEach, beforeEach, expect, test } from "vitest";
import { createKnown, DIMENSIONS, embed, expectVectorsOf, failureOf, TEXTS } from "#testing/embedding-outcomes.ts";
import {
  answer,
  answerOf,
  startEmbeddingProvider,
  vectorFor,
  type EmbeddingProvider,
  type Misbehaviour,
} from "#testing/embedding-provider.ts";
import type { Embedder } from "./embedder.ts";

const KEY = "sk-very-secret-0123456789";

let provider: EmbeddingProvider;
let embedder: Embedder;

beforeEach(async () => {
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  embedder = create();
});

afterEach(async () => {
  await provider.close();
});

function create(url = provider.url): Embedder {
  return createKnown({
    CODEINDEX_EMBEDDER: "openai",
    CODEINDEX_EMBEDDING_URL: url,
    CODEINDEX_EMBEDDING_API_KEY: KEY,
    CODEINDEX_EMBEDDING_MODEL: "small",
    CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
  });
}

function times(count: number, then: Misbehaviour): Misbehaviour {
  let left = count;
  return (request, response) => left-- > 0 && then(request, response);
}

test("a provider that is busy is asked again when it said", async () => {
  provider.misbehave(times(1, (_request, response) => answer(response, 429, { error: { message: "slow down" } }, { "retry-after": "1" })));
  const began = performance.now();
  expectVectorsOf(await embed(embedder, ["one"]), ["one"]);
  expect(performance.now() - began).toBeGreaterThan(990);
  expect(provider.requests).toHaveLength(2);
});

test("a provider that wants a long pause is left alone, and the pause is told", async () => {
  provider.misbehave((_request, response) => answer(response, 429, { error: { message: "quota exceeded" } }, { "retry-after": "3600" }));
  const error = await failureOf(embed(embedder, ["one"]));
  expect(error).toMatchObject({ transient: true, retryAfterMs: 3_600_000, message: expect.stringContaining("429: quota exceeded") });
  expect(provider.requests).toHaveLength(1);
});

test("a server error, a broken connection, a wrong shape and half an answer are tried again", async () => {
  const ways: Misbehaviour[] = [
    (_request, response) => answer(response, 500, "boom"),
    (_request, response) => response.destroy() instanceof Object,
    (_request, response) => answer(response, 200, '{"data": [{"ind'),
    (request, response) =>
      answer(
        response,
        200,
        answerOf(
          "openai",
          request.texts.slice(1).map((text) => vectorFor(text, DIMENSIONS)),
        ),
      ),
    (_request, response) =>
      answer(response, 200, {
        data: [
          { index: 7, embedding: [1] },
          { index: 7, embedding: [1] },
        ],
      }),
    (_request, response) => answer(response, 200, []),
  ];
  for (const way of ways) {
    provider.misbehave(times(2, way));
    expectVectorsOf(await embed(embedder, ["one", "two"]), ["one", "two"]);
  }
});

test("a provider that stays down is said to be down, in its own words and without the key", async () => {
  provider.misbehave((_request, response) => answer(response, 503, { error: { message: `overloaded, Bearer ${KEY} sk-abc***wxyz` } }));
  const error = await failureOf(embed(embedder, TEXTS));
  expect(error.transient).toBe(true);
  expect(error.message).toContain("503: overloaded");
  expect(`${error.message} ${error.stack}`).not.toMatch(/very-secret|sk-abc/);
});

test("an address where nobody listens is an outage, not the texts' fault", async () => {
  embedder = create("http://127.0.0.1:9/v1");
  const error = await failureOf(embed(embedder, ["one"]));
  expect(error.transient).toBe(true);
  expect(error.message).toMatch(/^127\.0\.0\.1:9 can't be reached: /);
});

test("a provider that hangs is given up, and so is one that hangs in the middle of its answer", async () => {
  for (const way of [
    () => true,
    (_request: unknown, response: Parameters<Misbehaviour>[1]) => response.writeHead(200).write('{"data": ['),
  ] as Misbehaviour[]) {
    provider.misbehave(way);
    const error = await failureOf(embed(embedder, ["one"]));
    expect(error).toMatchObject({ transient: true, message: expect.stringContaining("did not answer within 1.5 s") });
  }
});

test("a query is asked once only", async () => {
  provider.misbehave((_request, response) => answer(response, 500, "boom"));
  await failureOf(embed(embedder, ["one"], "query"));
  expect(provider.requests).toHaveLength(1);
});

test("what is not the texts' fault is told at once, in the provider's words", async () => {
  provider.misbehave((_request, response) => answer(response, 401, { error: { message: `Incorrect API key provided: ${KEY}.` } }));
  const error = await failureOf(embed(embedder, ["one"]));
  expect(error).toMatchObject({ transient: false, message: expect.stringContaining("401: Incorrect API key provided: ….") });
  expect(provider.requests).toHaveLength(1);
});

test("a request that is refused whatever the text is not taken for a hundred bad texts", async () => {
  provider.misbehave((_request, response) => answer(response, 400, { error: { message: "unknown model" } }));
  const error = await failureOf(embed(embedder, TEXTS));
  expect(error).toMatchObject({ transient: false, message: expect.stringContaining("400: unknown model") });
  expect(provider.requests.length).toBeLessThan(20);
});

test("a redirect is not followed: neither key nor code go elsewhere", async () => {
  const elsewhere = await startEmbeddingProvider("openai", DIMENSIONS);
  provider.misbehave((_request, response) => answer(response, 307, "", { location: `${elsewhere.url}/embeddings` }));
  expect((await failureOf(embed(embedder, ["one"]))).message).toContain("307");
  expect(elsewhere.requests).toHaveLength(0);
  await elsewhere.close();
});

test("one bad text is refused alone, with the reason", async () => {
  const texts = TEXTS.with(77, "BAD");
  provider.misbehave(
    (request, response) =>
      request.texts.some((text) => text.includes("BAD")) && answer(response, 400, { error: { message: "no such text" } }),
  );
  const outcomes = await embed(embedder, texts);
  expect(outcomes[77]).toMatchObject({ refused: expect.stringContaining("400: no such text") });
  expectVectorsOf(outcomes.toSpliced(77, 1), texts.toSpliced(77, 1));
});

test("a text that breaks the provider down is refused alone, too", async () => {
  const texts = TEXTS.slice(0, 20).with(7, "POISON");
  provider.misbehave((request, response) => request.texts.some((text) => text.includes("POISON")) && answer(response, 500, "panic"));
  const outcomes = await embed(embedder, texts);
  expect(outcomes[7]).toEqual({ refused: expect.stringContaining("500"), unsure: true });
  expectVectorsOf(outcomes.toSpliced(7, 1), texts.toSpliced(7, 1));
});

test("what was made before a failure is handed over with it", async () => {
  provider.misbehave((request, response) => request.texts.some((text) => text.includes("number149")) && answer(response, 401, "no"));
  const error = await failureOf(embed(embedder, TEXTS));
  expect(error.partial).toHaveLength(TEXTS.length);
  expect(error.partial.filter((outcome) => outcome !== undefined).length).toBeGreaterThanOrEqual(64);
});

test("an answer without end is broken off", async () => {
  provider.misbehave((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write("[".repeat(1_000_000))) {
        // Until the connection is full.
      }
    };
    response.writeHead(200).on("drain", more);
    more();
    return true;
  });
  const patient = createKnown(
    {
      CODEINDEX_EMBEDDER: "openai",
      CODEINDEX_EMBEDDING_URL: provider.url,
      CODEINDEX_EMBEDDING_MODEL: "m",
      CODEINDEX_EMBEDDING_DIMENSIONS: 8,
    },
    { timeoutMs: 15_000, retryBaseMs: 10 },
  );
  expect((await failureOf(embed(patient, ["one"], "query"))).message).toContain("64 MiB");
});
