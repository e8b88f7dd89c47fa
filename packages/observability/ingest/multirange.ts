/** Formats whole numbers as a PostgreSQL `int8multirange`: `[4, 1, 2]` becomes `{[1,3),[4,5)}`. */
export function toMultirange(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1]) {
      last[1] = Math.max(last[1], number + 1);
    } else {
      ranges.push([number, number + 1]);
    }
  }
  return `{${ranges.map(([from, to]) => `[${from},${to})`).join(",")}}`;
}
