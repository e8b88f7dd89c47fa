import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * For work that takes the process for long: called between two steps, it gives everything else a turn once
 * `milliseconds` went by since the last one.
 */
export function yieldEvery(milliseconds: number): () => Promise<void> | undefined {
  let turn = performance.now();
  const rest = async () => {
    await nextTurn();
    turn = performance.now();
  };
  return () => (performance.now() - turn > milliseconds ? rest() : undefined);
}
