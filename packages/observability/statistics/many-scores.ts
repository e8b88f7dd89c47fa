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

/** Adjusted p-values of findings (Y. Benjamini and Y. Hochberg, 1995): of those that are at most 0.1 about one in ten is false. For tables to explore. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  let lowest = 1;
  return adjust(pValues, ascending(pValues).toReversed(), (value, at) => {
    lowest = Math.min(lowest, (pValues.length / (pValues.length - at)) * value);
    return lowest;
  });
}

/** Up to it the adjusted p-value of a row to explore, such as a node of the graph, is a finding. */
export const FALSE_FINDINGS = 0.1;

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
