import { randomInt } from "node:crypto";

/**
 * What tests that kill at random moments draw from: `TEST_SEED=…` draws the same again. Such a test has it in its name, so that a
 * failure says how to see it again.
 */
export const SEED: number = Number(process.env["TEST_SEED"] ?? randomInt(1_000_000));

/** mulberry32: the same numbers for the same seed, so that a failure can be seen again. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
