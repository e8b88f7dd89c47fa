import { expect, test } from "vitest";
import { createEmbedder } from "./create-embedder.ts";

test("everything that is missing is named at once", () => {
  expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "openai" })).toThrow(
    /CODEINDEX_EMBEDDER=openai needs CODEINDEX_EMBEDDING_URL, CODEINDEX_EMBEDDING_MODEL, CODEINDEX_EMBEDDING_DIMENSIONS, which are not set/,
  );
  expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "vertex", CODEINDEX_CLOUD_PROJECT: "p" })).toThrow(
    /needs CODEINDEX_EMBEDDING_REGION \(or CODEINDEX_CLOUD_LOCATION\), which is not set/,
  );
  expect(() => createEmbedder({ CODEINDEX_EMBEDDER: "static" })).toThrow(/needs CODEINDEX_EMBEDDING_MODEL, which is not set/);
  expect(createEmbedder({ CODEINDEX_EMBEDDER: "none" })).toBeUndefined();
});
