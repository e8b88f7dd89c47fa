/**
 * Adjusted p-values for claims that hold together: one false claim among all of them is as improbable as each adjusted value says
 * (S. Holm, 1979). For a gate that fails if any score is worse.
 */
export function holm(pValues: readonly number[]): number[] {
  let highest = 0;
  return adjust(pValues, ascending(pValues), (value, at) => {
    highest = Math.max(highest, Math.min((pValues.length - at) * value, 1));
    return highest;
  });
}

/** Adjusted p-values by which at most that part of what is found is false (Y. Benjamini and Y. Hochberg, 1995). For tables to explore. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  let lowest = 1;
  return adjust(pValues, ascending(pValues).toReversed(), (value, at) => {
    lowest = Math.min(lowest, (pValues.length / (pValues.length - at)) * value);
    return lowest;
  });
}

/** Of rows to explore, such as the nodes of a graph, one in ten that is found may be chance. */
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
