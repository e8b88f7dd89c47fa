import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Embedding, Repository, SearchAnswer } from "#contract.ts";
import { DIMENSIONS } from "#testing/embedding-outcomes.ts";
import { answer, startEmbeddingProvider, type EmbeddingProvider } from "#testing/embedding-provider.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

const KEY = "sk-very-secret-0123456789";

let provider: EmbeddingProvider;
let index: RunningCodeIndex;
let source: GitRepository;
let repoId: string;

beforeAll(async () => {
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  index = await startCodeIndex({
    embedding: {
      CODEINDEX_EMBEDDER: "openai",
      CODEINDEX_EMBEDDING_URL: provider.url,
      CODEINDEX_EMBEDDING_API_KEY: KEY,
      CODEINDEX_EMBEDDING_MODEL: "small",
      CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
    },
  });
  source = await createGitRepository();
});

afterAll(async () => {
  await index.stop();
  await provider.close();
  await source.remove();
});

async function get<Body>(url: string, tenantId?: string): Promise<Body> {
  const response = await index.server.inject({ url, headers: index.asAdmin(tenantId) });
  expect(response.statusCode).toBe(200);
  expect(response.body).not.toContain(KEY);
  return response.json<Body>();
}

const search = (query: string) => get<SearchAnswer>(`/api/v1/search?query=${encodeURIComponent(query)}`);
const repository = () => get<Repository>(`/api/v1/repos/${repoId}`);
const embedding = (tenantId?: string) => get<Embedding>("/api/v1/embedding", tenantId);

async function waitFor(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 30_000, interval: 50 });
}

test("before anything is indexed the provider is named and nothing waits", async () => {
  expect(await embedding()).toEqual({
    provider: "openai",
    model: "small",
    dimensions: DIMENSIONS,
    state: "ready",
    reason: null,
    chunks: 0,
    embedded: 0,
    pending: 0,
    refused: 0,
    next: null,
    branches: [],
  });
});

test("with the provider down for a whole build, new code is found at once by the other legs, and everybody is told why", async () => {
  provider.misbehave((_request, response) => answer(response, 503, { error: { message: `maintenance, key ${KEY}` } }));
  const commit = await source.commit({
    "retry.ts": "export function retryWithBackoff() {\n  return 1;\n}\n",
    "palette.ts": "export function lighten(colour) {\n  return colour;\n}\n",
  });
  const registered = await index.server.inject({
    method: "POST",
    url: "/api/v1/repos",
    headers: index.asAdmin(),
    payload: { full_name: "acme/shop", clone_url: source.url },
  });
  repoId = registered.json<{ id: string }>().id;
  await waitFor(async () => expect(await repository()).toMatchObject({ indexed_commit: commit }));
  const found = await search("retryWithBackoff");
  expect(found.results[0]).toMatchObject({ path: "retry.ts", commit });
  expect(found.legs).toMatchObject({ bm25: { state: "ok" }, exact: { state: "ok" } });
  expect(["pending", "degraded"]).toContain(found.legs["semantic"]?.state);

  await waitFor(async () =>
    expect(await repository()).toMatchObject({
      index_status: "indexing",
      legs: {
        semantic: { state: "pending", reason: expect.stringContaining("503: maintenance") },
        bm25: { state: "ready" },
        exact: { state: "ready" },
      },
    }),
  );
  expect(await embedding()).toMatchObject({
    state: "degraded",
    reason: expect.stringContaining("503: maintenance"),
    chunks: 2,
    embedded: 0,
    pending: 2,
    branches: [{ repo_id: repoId, full_name: "acme/shop", ref: "main", pending: 2 }],
  });
});

test("another tenant is told nothing of it", async () => {
  expect(await embedding("two")).toMatchObject({ reason: null, chunks: 0, pending: 0, branches: [] });
});

test("when the provider is back the vectors are made without anybody's help", async () => {
  provider.recover();
  await waitFor(async () => expect(await repository()).toMatchObject({ index_status: "ready", legs: { semantic: { state: "ready" } } }));
  expect(await embedding()).toMatchObject({
    state: "ready",
    reason: null,
    chunks: 2,
    embedded: 2,
    pending: 0,
    branches: [{ pending: 0, embedded: 2, reason: null }],
  });
  await waitFor(async () => {
    const { results, legs } = await search(`how is it done ${Date.now()}`);
    expect(legs["semantic"]).toMatchObject({ state: "ok" });
    expect(results.length).toBeGreaterThan(0);
  });
});

test("a push embeds what changed and nothing else", async () => {
  provider.requests.length = 0;
  const commit = await source.commit({ "palette.ts": "export function darken(colour) {\n  return colour;\n}\n" });
  await index.server.inject({ method: "POST", url: `/api/v1/repos/${repoId}/index`, headers: index.asAdmin(), payload: {} });
  await waitFor(async () => expect(await repository()).toMatchObject({ index_status: "ready", indexed_commit: commit }));
  await waitFor(async () => expect(await embedding()).toMatchObject({ embedded: 2, pending: 0 }));
  expect(provider.requests.flatMap(({ texts }) => texts)).toEqual([expect.stringContaining("darken")]);
});

test("what the provider refuses is named and keeps the repository from nothing", async () => {
  provider.misbehave(
    (request, response) =>
      request.texts.some((text) => text.includes("unspeakable")) && answer(response, 400, { error: { message: "no" } }),
  );
  const commit = await source.commit({ "bad.ts": "export const unspeakable = 1;\n" });
  await index.server.inject({ method: "POST", url: `/api/v1/repos/${repoId}/index`, headers: index.asAdmin(), payload: {} });
  await waitFor(async () => expect(await repository()).toMatchObject({ index_status: "ready", indexed_commit: commit }));
  await waitFor(async () =>
    expect(await embedding()).toMatchObject({
      chunks: 3,
      embedded: 2,
      pending: 0,
      refused: 1,
      branches: [{ refused: 1, reason: expect.stringContaining("400: no") }],
    }),
  );
});

test("a developer token and a member are not shown it", async () => {
  const token = await index.createToken();
  const developer = await index.server.inject({ url: "/api/v1/embedding", headers: { authorization: `Bearer ${token}` } });
  const member = await index.server.inject({
    url: "/api/v1/embedding",
    headers: { authorization: `Bearer ${index.issue({ tid: "one", role: "member" })}` },
  });
  expect([developer.statusCode, member.statusCode]).toEqual([403, 403]);
});

test("none of the vectors' tables holds the key", async () => {
  const { rows } = await index.database.pool.query("select embedders::text as row from tenant_one.embedders");
  expect(JSON.stringify(rows)).not.toContain("very-secret");
});
