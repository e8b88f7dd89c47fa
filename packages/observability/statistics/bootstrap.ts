import { randomOf } from "@sightline/foundation/seeded-random";
import type { Interval } from "./intervals.ts";

const DRAWS = 1_000;
const TAIL = 0.025;

/**
 * A figure of items, and the middle 95 % of the figures of as many items drawn from them with replacement (B. Efron's percentiles, 1979). Draws that have
 * no figure, as where all items are alike, are left out.
 *
 * @param figure Of items that are each counted so many times; not finite where there is none.
 * @returns Undefined where the items have no figure.
 */
export function bootstrapInterval(items: number, seed: number, figure: (times: Uint32Array) => number): Interval | undefined {
  const value = figure(new Uint32Array(items).fill(1));
  if (!Number.isFinite(value)) {
    return undefined;
  }
  const random = randomOf(seed);
  const drawn = Array.from({ length: DRAWS }, () => {
    const times = new Uint32Array(items);
    for (let draw = 0; draw < items; draw += 1) {
      const at = Math.floor(random() * items);
      times[at] = (times[at] ?? 0) + 1;
    }
    return figure(times);
  });
  const figures = drawn.filter((each) => Number.isFinite(each)).toSorted((left, right) => left - right);
  const rank = Math.floor(TAIL * figures.length);
  return { value, low: figures[rank] ?? value, high: figures[figures.length - 1 - rank] ?? value };
}
