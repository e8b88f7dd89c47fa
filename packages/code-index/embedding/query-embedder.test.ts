import { createLog } from "@sightline/foundation/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answer, answerOf, startEmbeddingProvider, vectorFor, type EmbeddingProvider } from "#testing/embedding-provider.ts";
import { createKnown, DIMENSIONS } from "#testing/embedding-outcomes.ts";
import { createQueryEmbedder, type QueryEmbedder } from "./query-embedder.ts";

/** A busy machine answers well within the first; who does not wait is far below it. */
const TIMING = { deadlineMs: 1_500, pauseMs: 300 };
const AT_ONCE_MS = 750;

let provider: EmbeddingProvider;
let lines: string[];
let queries: QueryEmbedder;
let key: string;

beforeEach(async () => {
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  lines = [];
  queries = create();
  key = queries.identity.key;
});

afterEach(async () => {
  await provider.close();
});

function configOf(model = "small") {
  return {
    CODEINDEX_EMBEDDER: "openai",
    CODEINDEX_EMBEDDING_URL: provider.url,
    CODEINDEX_EMBEDDING_MODEL: model,
    CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
  } as const;
}

function create(): QueryEmbedder {
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => lines.push(line) } });
  const made = createQueryEmbedder({ config: configOf(), log, timing: TIMING });
  if (made === undefined) {
    throw new Error("no query embedder");
  }
  return made;
}

async function timed(query: string) {
  const began = performance.now();
  const outcome = await queries.embed(query, key);
  return { outcome, ms: performance.now() - began };
}

test("a query has its vector, and the same one is asked for once", async () => {
  expect(await queries.embed("how to retry", key)).toEqual({ vector: expect.any(Float32Array) });
  await queries.embed("how to retry", key);
  expect(provider.requests).toHaveLength(1);
});

test("of a provider that hangs only the first query waits, and no longer than the deadline", async () => {
  provider.misbehave(() => true);
  const first = await timed("one");
  expect(first.outcome).toEqual({ state: "degraded", reason: "the embedder's provider did not answer within 1500 ms" });
  expect(first.ms).toBeGreaterThan(1_450);
  expect(first.ms).toBeLessThan(3_000);
  const second = await timed("two");
  expect(second.outcome).toMatchObject({ state: "degraded", reason: expect.stringContaining("it is tried again in 1 s") });
  expect(second.ms).toBeLessThan(AT_ONCE_MS);
  expect(provider.requests).toHaveLength(1);
  expect(lines).toHaveLength(1);
});

test("after a pause one query finds out whether the provider is back, and nobody waits for it", async () => {
  provider.misbehave((_request, response) => answer(response, 503, { error: { message: "the query of somebody else" } }));
  expect((await timed("one")).outcome).toEqual({ state: "degraded", reason: expect.not.stringContaining("somebody") });
  await vi.waitFor(() => expect(provider.requests).toHaveLength(1));
  provider.recover();
  await vi.waitFor(
    async () => {
      const { outcome, ms } = await timed("two");
      expect(ms).toBeLessThan(AT_ONCE_MS);
      expect(outcome).toEqual({ vector: expect.any(Float32Array) });
    },
    { timeout: 15_000, interval: 20 },
  );
  expect(provider.requests).toHaveLength(2);
});

test("hundred queries at once ask a broken provider no more often than one of them has to", async () => {
  provider.misbehave(() => true);
  await timed("first");
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => timed(`query ${index}`)));
  expect(outcomes.every(({ outcome, ms }) => "state" in outcome && ms < AT_ONCE_MS)).toBe(true);
  expect(provider.requests.length).toBeLessThanOrEqual(2);
});

test("pauses grow while the provider stays down", async () => {
  provider.misbehave((_request, response) => answer(response, 500, "down"));
  const began = performance.now();
  await vi.waitFor(
    async () => {
      await queries.embed(`query ${performance.now()}`, key);
      expect(performance.now() - began).toBeGreaterThan(2_000);
    },
    { timeout: 5_000, interval: 10 },
  );
  // At 0, 300, 900 and 2,100 ms.
  expect(provider.requests.length).toBeLessThanOrEqual(4);
});

test("an answer that comes too late is there when the same is asked again", async () => {
  provider.misbehave((request, response) => {
    setTimeout(
      () =>
        answer(
          response,
          200,
          answerOf(
            "openai",
            request.texts.map((text) => vectorFor(text, DIMENSIONS)),
          ),
        ),
      1_800,
    );
    return true;
  });
  expect((await timed("slow")).outcome).toMatchObject({ state: "degraded" });
  await vi.waitFor(async () => expect(await queries.embed("slow", key)).toEqual({ vector: expect.any(Float32Array) }), { timeout: 10_000 });
});

test("a query that can't be embedded says why and harms no other", async () => {
  provider.misbehave(
    (request, response) => request.texts.some((text) => text.includes("BAD")) && answer(response, 400, { error: { message: "unsafe" } }),
  );
  expect(await queries.embed("BAD", key)).toEqual({ state: "skipped", reason: expect.stringContaining("400: unsafe") });
  expect(await queries.embed(" ", key)).toMatchObject({ state: "skipped" });
  expect(await queries.embed("good", key)).toHaveProperty("vector");
});

test("queries are embedded as the vectors in use were: by the former model of the provider, or by the built-in embedder", async () => {
  const former = createKnown(configOf("former")).identity.key;
  expect(await queries.embed("one", former)).toHaveProperty("vector");
  expect(provider.requests.at(-1)?.body["model"]).toBe("former");
  const builtIn = createKnown({ CODEINDEX_EMBEDDER: "hash" }).identity.key;
  expect(await queries.embed("retry", builtIn)).toEqual({ vector: expect.objectContaining({ length: 256 }) });
});

test("vectors of an embedder that can't be reached any more are pending, with the reason", async () => {
  for (const gone of ['["vertex","m","",768,"",""]', '["hash","built-in","1",256,"",""]', "hash-v1", "[]", '["openai","m","","x","",""]']) {
    expect(await queries.embed("one", gone)).toMatchObject({
      state: "pending",
      reason: expect.stringContaining("not configured any more"),
    });
  }
  expect(provider.requests).toHaveLength(0);
});
