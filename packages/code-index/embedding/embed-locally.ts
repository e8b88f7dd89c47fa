import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedded } from "./embedder.ts";

/** How long other work of the process may have to wait. */
const TURN_MS = 20;

/** Embeds on this machine, text by text, and lets other work of the process have its turn. */
export async function embedLocally(
  texts: readonly string[],
  signal: AbortSignal,
  vectorOf: (text: string) => Float32Array,
): Promise<readonly Embedded[]> {
  const outcomes: Embedded[] = [];
  let began = performance.now();
  for (const text of texts) {
    outcomes.push({ vector: vectorOf(text) });
    if (performance.now() - began > TURN_MS) {
      await nextTurn();
      signal.throwIfAborted();
      began = performance.now();
    }
  }
  return outcomes;
}
