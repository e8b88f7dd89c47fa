/** Numbers of these traces in no order, of those that have one. */
export function knownOf(column: Float64Array, traces: Int32Array): Float64Array {
  const known = new Float64Array(traces.length);
  let count = 0;
  for (let index = 0; index < traces.length; index += 1) {
    const number = column[traces[index] ?? 0] ?? Number.NaN;
    if (!Number.isNaN(number)) {
      known[count] = number;
      count += 1;
    }
  }
  return known.subarray(0, count);
}

/**
 * Percentiles as `percentile_cont` has them, between two numbers where they lie there; null of none. Only as much is put in order as that needs:
 * a tenth of the time that sorting takes.
 *
 * @param numbers Leaves them in another order.
 * @param parts Ascending.
 */
export function percentilesBetween(numbers: Float64Array, parts: readonly number[]): readonly (number | null)[] {
  let from = 0;
  return parts.map((part) => {
    const at = part * (numbers.length - 1);
    const place = Math.floor(at);
    const below = numberInOrder(numbers, place, from);
    if (below === undefined) {
      return null;
    }
    from = place;
    return at === place ? below : below + (leastBehind(numbers, place) - below) * (at - place);
  });
}

/**
 * The number that would be at a place if all were in order; puts it there, and those less before it.
 *
 * @param from All before this place are in order, or less than those behind them.
 */
function numberInOrder(numbers: Float64Array, place: number, from: number): number | undefined {
  let [first, last] = [from, numbers.length - 1];
  while (first < last) {
    // By chance, so that no order of the numbers makes it slow.
    const pivot = numbers[first + Math.floor(Math.random() * (last - first + 1))] ?? 0;
    let [low, high] = [first, last];
    while (low <= high) {
      while ((numbers[low] ?? 0) < pivot) {
        low += 1;
      }
      while ((numbers[high] ?? 0) > pivot) {
        high -= 1;
      }
      if (low <= high) {
        const number = numbers[low] ?? 0;
        numbers[low] = numbers[high] ?? 0;
        numbers[high] = number;
        low += 1;
        high -= 1;
      }
    }
    if (place <= high) {
      last = high;
    } else if (place >= low) {
      first = low;
    } else {
      break;
    }
  }
  return numbers[place];
}

function leastBehind(numbers: Float64Array, place: number): number {
  let least = Infinity;
  for (let index = place + 1; index < numbers.length; index += 1) {
    least = Math.min(least, numbers[index] ?? Infinity);
  }
  return least;
}

/** The first number that so large a part of all does not exceed, as `percentile_disc` has it; null of none. */
export function percentileAmong(sorted: Float64Array, part: number): number | null {
  return sorted[Math.max(Math.ceil(part * sorted.length) - 1, 0)] ?? null;
}

export function sumOf(numbers: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    sum += numbers[index] ?? 0;
  }
  return sum;
}
