import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createKnown, DIMENSIONS, embed, expectVectorsOf, failureOf, TEXTS } from "#testing/embedding-outcomes.ts";
import { answer, answerOf, startEmbeddingProvider, vectorFor, type EmbeddingProvider } from "#testing/embedding-provider.ts";
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

function create(more: object = {}): Embedder {
  return createKnown({
    CODEINDEX_EMBEDDER: "openai",
    CODEINDEX_EMBEDDING_URL: provider.url,
    CODEINDEX_EMBEDDING_API_KEY: KEY,
    CODEINDEX_EMBEDDING_MODEL: "small",
    CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
    ...more,
  });
}

test("each text has its own vector of length 1, whatever the order of the answer and however many calls it takes", async () => {
  expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
  expect(provider.requests.length).toBeGreaterThan(1);
  expect(provider.requests[0]).toMatchObject({ path: "/v1/embeddings", authorization: `Bearer ${KEY}` });
  expect(provider.requests[0]?.body).toEqual({ model: "small", input: expect.any(Array), encoding_format: "float" });
});

test("prefixes stand before code and queries, and the model is asked to shorten its vectors only where that is set", async () => {
  embedder = create({
    CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: "code: ",
    CODEINDEX_EMBEDDING_QUERY_PREFIX: "question: ",
    CODEINDEX_EMBEDDING_SHORTEN: true,
  });
  await embed(embedder, ["a"]);
  await embed(embedder, ["b"], "query");
  expect(provider.requests.map(({ texts, body }) => [texts, body["dimensions"]])).toEqual([
    [["code: a"], 8],
    [["question: b"], 8],
  ]);
});

test("whatever changes the vectors changes the identity, and the endpoint's address does not", () => {
  const keys = [
    {},
    { CODEINDEX_EMBEDDING_MODEL: "large" },
    { CODEINDEX_EMBEDDING_DIMENSIONS: 9 },
    { CODEINDEX_EMBEDDING_REVISION: "2" },
    { CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: "p" },
  ].map((more) => create(more).identity.key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(create({ CODEINDEX_EMBEDDING_URL: "http://elsewhere/v1", CODEINDEX_EMBEDDING_API_KEY: "other" }).identity.key).toBe(keys[0]);
});

test("a text that is too long for the model is cut until it fits", async () => {
  const long = "const someLongName = anotherName + 1;\n".repeat(200);
  provider.misbehave(
    (request, response) =>
      request.texts.some((text) => text.length > 2_500) && answer(response, 413, { error: "must have less than 512 tokens" }),
  );
  const outcomes = await embed(embedder, ["short", long, "other"]);
  expect(outcomes.map((outcome) => "vector" in outcome)).toEqual([true, true, true]);
  expectVectorsOf([outcomes[0] ?? { refused: "" }, outcomes[2] ?? { refused: "" }], ["short", "other"]);
  const last = provider.requests.flatMap(({ texts }) => texts).filter((text) => text.length > 100 && text.length <= 2_500);
  expect(long.startsWith(last[0] ?? "-")).toBe(true);
});

test("texts are cut to the tokens that are set, one huge line as well", async () => {
  embedder = create({ CODEINDEX_EMBEDDING_MAX_TOKENS: 16 });
  await embed(embedder, ["x1y2z3".repeat(5_000), "a b c\n".repeat(500)]);
  expect(provider.requests.flatMap(({ texts }) => texts).every((text) => text.length > 5 && text.length < 200)).toBe(true);
});

test("a provider that takes fewer texts at once is found out once", async () => {
  provider.misbehave((request, response) => request.texts.length > 32 && answer(response, 422, { error: "batch size > 32" }));
  expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
  provider.requests.length = 0;
  expectVectorsOf(await embed(embedder, TEXTS), TEXTS);
  expect(provider.requests.every(({ texts }) => texts.length <= 32)).toBe(true);
});

test("a vector of another length says which length to set", async () => {
  provider.misbehave((request, response) =>
    answer(
      response,
      200,
      answerOf(
        "openai",
        request.texts.map((text) => vectorFor(text, 12)),
      ),
    ),
  );
  const error = await failureOf(embed(embedder, ["one"]));
  expect(error).toMatchObject({ transient: false, message: expect.stringContaining("Set it to 12") });
});

test("a vector with something other than numbers is no vector, and many of them are the provider's fault", async () => {
  provider.misbehave((request, response) =>
    answer(
      response,
      200,
      answerOf(
        "openai",
        request.texts.map((text) => (text === "odd" ? [...vectorFor(text, 7), null] : vectorFor(text, DIMENSIONS))),
      ),
    ),
  );
  const outcomes = await embed(embedder, ["one", "odd"]);
  expect(outcomes[1]).toEqual({ refused: expect.stringContaining("other than numbers") });
  expectVectorsOf(outcomes.slice(0, 1), ["one"]);
  provider.misbehave((request, response) =>
    answer(
      response,
      200,
      answerOf(
        "openai",
        request.texts.map(() => Array(DIMENSIONS).fill(null)),
      ),
    ),
  );
  expect((await failureOf(embed(embedder, ["one"]))).transient).toBe(false);
});

test("blank texts are not sent, and strange ones arrive whole", async () => {
  const strange = ["\u0000 nul", "\ud800 half a pair", "नमस्ते 🏴‍☠️", "\u202Eright to left"];
  const outcomes = await embed(embedder, ["", "  \n", ...strange]);
  expect(outcomes.slice(0, 2)).toEqual([{ refused: "the text is blank" }, { refused: "the text is blank" }]);
  expect(outcomes.slice(2).every((outcome) => "vector" in outcome)).toBe(true);
  expect(provider.requests).toHaveLength(1);
});

test("an embedding ends when it is told to", async () => {
  provider.misbehave(() => true);
  const ending = new AbortController();
  const work = embedder.embed(["one"], { purpose: "document", signal: ending.signal });
  await vi.waitFor(() => expect(provider.requests).toHaveLength(1));
  ending.abort(new Error("stopping"));
  await expect(work).rejects.toThrow("stopping");
});
