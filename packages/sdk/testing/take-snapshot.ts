import { type Limits, measureSnapshot } from "../src/capture/snapshot.ts";

/** The copy alone, without how much it holds. */
export function takeSnapshot(value: unknown, reasoning: Parameters<typeof measureSnapshot>[1], limits?: Limits): unknown {
  return measureSnapshot(value, reasoning, limits).value;
}
