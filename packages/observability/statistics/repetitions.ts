/** How many of an item's repetitions passed. */
export type Repetitions = { readonly passed: number; readonly of: number };

/**
 * pass@k: the probability that at least one of k tries of an item passes, 1 − C(of − passed, k) / C(of, k) (M. Chen and others, 2021). It
 * is unbiased, as 1 − (1 − rate)^k is not.
 *
 * @returns Null where the item has fewer than k repetitions: what was not tried is not told.
 */
export function passAtK({ passed, of }: Repetitions, k: number): number | null {
  const allFail = chosenAll(of - passed, of, k);
  return allFail === null ? null : 1 - allFail;
}

/** pass^k: the probability that each of k tries of an item passes, C(passed, k) / C(of, k) (S. Yao and others, τ-bench, 2024). */
export function passHatK({ passed, of }: Repetitions, k: number): number | null {
  return chosenAll(passed, of, k);
}

/** Whether an item passed and failed: seen flaky at as many repetitions; what was not seen may be flaky, too. */
export function isSeenFlaky({ passed, of }: Repetitions): boolean {
  return passed > 0 && passed < of;
}

/** C(marked, k) / C(of, k): the probability that k that are drawn of `of` are all marked. Factor by factor, since the binomials overflow. */
function chosenAll(marked: number, of: number, k: number): number | null {
  if (k < 1 || k > of) {
    return null;
  }
  let probability = 1;
  for (let drawn = 0; drawn < k; drawn += 1) {
    probability *= Math.max(marked - drawn, 0) / (of - drawn);
  }
  return probability;
}
