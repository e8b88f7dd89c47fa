import { expect, test } from "vitest";
import { createWordsEmbedder, readWordTable } from "./words-embedder.ts";

const { signal } = new AbortController();
const embedder = createWordsEmbedder();

async function vectorOf(text: string, purpose: "query" | "document"): Promise<Float32Array> {
  const [outcome] = await embedder.embed([text], { purpose, signal });
  return outcome !== undefined && "vector" in outcome ? outcome.vector : new Float32Array(0);
}

async function likeness(question: string, code: string): Promise<number> {
  const [one, other] = [await vectorOf(question, "query"), await vectorOf(code, "document")];
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

test.for([
  ["keep settings between restarts", "save preferences to disk", "draw a rectangle on the canvas"],
  ["give up when it takes too long", "if (elapsed > timeoutMs) throw new TimeoutError()", "const title = renderHeading(level)"],
  ["stop two workers from picking the same job", "acquire_lock(job_id)", "print_version()"],
  ["hide passwords in the log", "redactSecrets(message)", "sortByName(items)"],
] as const)("%s is nearer to what does it in other words", async ([question, near, far]) => {
  expect(await likeness(question, near)).toBeGreaterThan(await likeness(question, far));
});

test("vectors have length 1, or say nothing of words that are not known", async () => {
  const vector = await vectorOf("retry the request", "document");
  expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
  expect(vector).toHaveLength(embedder.identity.dimensions);
  expect((await vectorOf("qzxwvk", "document")).every((value) => value === 0)).toBe(true);
});

test.for([
  ["nothing", new Uint8Array(0)],
  ["something else", new TextEncoder().encode("x".repeat(100))],
  ["another version", new TextEncoder().encode(`SLVT${"\u0009".repeat(40)}`)],
] as const)("%s is refused", ([, bytes]) => {
  expect(() => readWordTable(bytes)).toThrow(/table of words/);
});
