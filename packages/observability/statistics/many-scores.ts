const FALSE_FINDINGS = 0.1;

/**
 * Adjusted p-values for claims that all have to hold (S. Holm, 1979): if what is at most 0.05 is claimed, not even one of the claims is false
 * in 95 of 100 experiments. For a gate that fails if any score is worse.
 */
export function holm(pValues: readonly number[]): number[] {
  let highest = 0;
  return adjust(pValues, ascending(pValues), (value, at) => {
    highest = Math.max(highest, Math.min((pValues.length - at) * value, 1));
    return highest;
  });
}

/** Adjusted p-values of findings (Y. Benjamini and Y. Hochberg, 1995): among those that are at most 0.1, one in ten is false. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  let lowest = 1;
  return adjust(pValues, ascending(pValues).toReversed(), (value, at) => {
    lowest = Math.min(lowest, (pValues.length / (pValues.length - at)) * value);
    return lowest;
  });
}

/** Which rows to explore, such as the nodes of a graph, stand out from chance: about one in ten of those that do is false. */
export function findings(pValues: readonly number[]): boolean[] {
  return benjaminiHochberg(pValues).map((adjusted) => adjusted <= FALSE_FINDINGS);
}

function ascending(pValues: readonly number[]): number[] {
  return Array.from(pValues.keys()).toSorted((left, right) => (pValues[left] ?? 1) - (pValues[right] ?? 1));
}

function adjust(pValues: readonly number[], order: readonly number[], adjusted: (value: number, at: number) => number): number[] {
  const found = pValues.map(() => 1);
  for (const [at, place] of order.entries()) {
    found[place] = adjusted(pValues[place] ?? 1, at);
  }
  return found;
}
