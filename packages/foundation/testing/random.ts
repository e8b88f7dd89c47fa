import { randomInt } from "node:crypto";

export { randomOf } from "#seeded-random.ts";

/**
 * What tests that kill at random moments draw from: `TEST_SEED=…` draws the same again. Such a test has it in its name, so that a
 * failure says how to see it again.
 */
export const SEED: number = Number(process.env["TEST_SEED"] ?? randomInt(1_000_000));

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
