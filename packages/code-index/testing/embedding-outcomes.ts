import { expect } from "vitest";
import type { EmbeddingConfig } from "#config.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { EmbedderError, type Embedded, type Embedder, type EmbedPurpose } from "#embedding/embedder.ts";
import type { RemoteTiming } from "#embedding/remote-embedder.ts";
import { vectorFor } from "./embedding-provider.ts";

export const DIMENSIONS = 8;

/** So that a test does not wait as long as a real embedder does. */
const FAST = { timeoutMs: 1_500, retryBaseMs: 10 };

/** More than one call's worth. */
export const TEXTS = Array.from({ length: 150 }, (_, index) => `function number${index}() { return ${index} }`);

export function createKnown(config: EmbeddingConfig, timing: RemoteTiming = FAST): Embedder {
  const embedder = createEmbedder(config, timing);
  if (embedder === undefined) {
    throw new Error(`${config.CODEINDEX_EMBEDDER} made no embedder`);
  }
  return embedder;
}

export function embed(embedder: Embedder, texts: readonly string[], purpose: EmbedPurpose = "document"): Promise<readonly Embedded[]> {
  return embedder.embed(texts, { purpose, signal: AbortSignal.timeout(20_000) });
}

export async function failureOf(work: Promise<unknown>): Promise<EmbedderError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbedderError)) {
    throw new Error(`expected an EmbedderError, got ${String(error)}`);
  }
  return error;
}

/** Those that the provider of the tests makes, at length 1 and in order. */
export function expectVectorsOf(outcomes: readonly Embedded[], texts: readonly string[]): void {
  expect(outcomes).toHaveLength(texts.length);
  for (const [index, outcome] of outcomes.entries()) {
    const raw = vectorFor(texts[index] ?? "", DIMENSIONS);
    const length = Math.hypot(...raw);
    expect("vector" in outcome ? [...outcome.vector] : outcome).toEqual(raw.map((value) => expect.closeTo(value / length, 5)));
  }
}
