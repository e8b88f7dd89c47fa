import { yieldEvery } from "@sightline/foundation/yield-every";
import type { Embedded } from "./embedder.ts";

/** How long other work of the process has to wait at most. */
const MAX_BLOCKING_MS = 20;

/** Embeds on this machine, text by text, and yields to the event loop, so that other work of the process goes on. */
export async function embedLocally(
  texts: readonly string[],
  signal: AbortSignal,
  vectorOf: (text: string) => Float32Array,
): Promise<readonly Embedded[]> {
  const outcomes: Embedded[] = [];
  const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
  for (const text of texts) {
    outcomes.push({ vector: vectorOf(text) });
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  return outcomes;
}

/** The vector at length 1; all zeros when it has no direction. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) {
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return squares === 0 || !Number.isFinite(length) ? new Float32Array(vector.length) : vector.map((value) => value / length);
}
