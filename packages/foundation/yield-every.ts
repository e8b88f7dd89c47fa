import { setImmediate as nextTurn } from "node:timers/promises";

/** Keeps long work from blocking the event loop: called between two steps, it yields once `milliseconds` have passed since it last did. */
export function yieldEvery(milliseconds: number): () => Promise<void> | undefined {
  let turn = performance.now();
  const rest = async () => {
    await nextTurn();
    turn = performance.now();
  };
  return () => (performance.now() - turn > milliseconds ? rest() : undefined);
}
