import { expect, test } from "vitest";
import { createKnown, embed } from "#testing/embedding-outcomes.ts";

async function vectorOf(text: string): Promise<Float32Array> {
  const [outcome] = await embed(createKnown({ CODEINDEX_EMBEDDER: "hash" }), [text]);
  if (outcome === undefined || !("vector" in outcome)) {
    throw new Error("no vector");
  }
  return outcome.vector;
}

async function similarity(one: string, other: string): Promise<number> {
  const [a, b] = [await vectorOf(one), await vectorOf(other)];
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? Number.NaN), 0);
}

test("a vector has length 1, and the same text has the same vector", async () => {
  expect(await similarity("function retryWithBackoff() {}", "function retryWithBackoff() {}")).toBeCloseTo(1, 5);
});

test("a question is nearer to code with its words, in whatever spelling, than to other code", async () => {
  const question = "how are requests retried with a backoff";
  const good = await similarity(question, "async function retryRequest(request, { backoffMs }) { await delay(backoffMs) }");
  const bad = await similarity(question, "const palette = ['#fff', '#000'].map((colour) => lighten(colour))");
  expect(good).toBeGreaterThan(bad + 0.1);
});

test("a text without a word is all zeros, not NaN", async () => {
  const vector = await vectorOf("{}();");
  expect(vector.every((value) => value === 0)).toBe(true);
});
