import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createKnown, DIMENSIONS, embed, expectVectorsOf, failureOf, TEXTS } from "#testing/embedding-outcomes.ts";
import { answer, startEmbeddingProvider, type EmbeddingProvider } from "#testing/embedding-provider.ts";
import { startMetadataServer } from "#testing/metadata-server.ts";
import type { Embedder } from "./embedder.ts";

let provider: EmbeddingProvider;
let metadata: { readonly url: string; readonly close: () => Promise<void> };

beforeEach(async () => {
  provider = await startEmbeddingProvider("vertex", DIMENSIONS);
  metadata = await startMetadataServer();
  // Where the library finds the credentials of the machine it runs on, as on Google Cloud.
  vi.stubEnv("GCE_METADATA_HOST", metadata.url);
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "");
  vi.stubEnv("HOME", "/nonexistent");
});

afterEach(async () => {
  await provider.close();
  vi.unstubAllEnvs();
  await metadata.close();
});

function create(more: object = {}): Embedder {
  return createKnown({
    CODEINDEX_EMBEDDER: "vertex",
    CODEINDEX_EMBEDDING_URL: provider.url,
    CODEINDEX_EMBEDDING_PROJECT: "our-project",
    CODEINDEX_CLOUD_PROJECT: "another",
    CODEINDEX_CLOUD_LOCATION: "europe-west4",
    CODEINDEX_EMBEDDING_MODEL: "text-embedding-005",
    CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
    ...more,
  });
}

test("code and queries are asked for with their task types, the token of the machine and the wanted dimensions", async () => {
  const embedder = create();
  expectVectorsOf(await embed(embedder, ["one", "two"]), ["one", "two"]);
  await embed(embedder, ["three"], "query");
  expect(provider.requests[0]).toMatchObject({
    path: "/v1/projects/our-project/locations/europe-west4/publishers/google/models/text-embedding-005:predict",
    authorization: "Bearer machine-token",
    body: {
      instances: [
        { content: "one", task_type: "RETRIEVAL_DOCUMENT" },
        { content: "two", task_type: "RETRIEVAL_DOCUMENT" },
      ],
      parameters: { outputDimensionality: 8, autoTruncate: true },
    },
  });
  expect(provider.requests[1]?.body["instances"]).toEqual([{ content: "three", task_type: "CODE_RETRIEVAL_QUERY" }]);
});

test("the Gemini models are asked for one text at a time", async () => {
  const texts = TEXTS.slice(0, 10);
  expectVectorsOf(await embed(create({ CODEINDEX_EMBEDDING_MODEL: undefined }), texts), texts);
  expect(provider.requests).toHaveLength(10);
});

test("a call that holds too many tokens is divided", async () => {
  provider.misbehave(
    (request, response) =>
      request.texts.length > 20 && answer(response, 400, { error: { code: 400, message: "too many tokens", status: "INVALID" } }),
  );
  expectVectorsOf(await embed(create(), TEXTS), TEXTS);
});

test("a missing role is told in Google's words", async () => {
  provider.misbehave((_request, response) =>
    answer(response, 403, [
      { error: { code: 403, message: "Permission 'aiplatform.endpoints.predict' denied", status: "PERMISSION_DENIED" } },
    ]),
  );
  const error = await failureOf(embed(create(), ["one"]));
  expect(error).toMatchObject({
    transient: false,
    message: expect.stringContaining("403: Permission 'aiplatform.endpoints.predict' denied"),
  });
});

test("a machine without credentials is told so, and asked again later", async () => {
  await metadata.close();
  const error = await failureOf(embed(create(), ["one"], "query"));
  expect(error).toMatchObject({ transient: true, message: expect.stringContaining("Google Cloud gave no access token") });
  expect(provider.requests).toHaveLength(0);
});
