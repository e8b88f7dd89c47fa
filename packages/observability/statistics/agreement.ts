import { bootstrapInterval } from "./bootstrap.ts";
import type { Interval } from "./intervals.ts";

/** How far apart two labels are: the same or not, by their distance, or by its square. Labels without an order are numbered. */
export type Weighting = "nominal" | "linear" | "quadratic";
export type Scale = "nominal" | "ordinal" | "interval";

/**
 * What two agree in beyond chance: J. Cohen's kappa (1960), weighted by how far apart labels are (1968). Its interval is of items drawn again.
 *
 * @param pairs What the two said of each item.
 * @returns Undefined where both always say one and the same: nothing tells agreement from chance then.
 */
export function cohenKappa(pairs: readonly (readonly [number, number])[], weighting: Weighting, seed: number): Interval | undefined {
  const { labels, placeOf } = inOrder(pairs.flat());
  const places = pairs.map(([one, other]) => [placeOf(one), placeOf(other)] as const);
  const power = { nominal: 0, linear: 1, quadratic: 2 }[weighting];
  const apart = (one: number, other: number) => (one === other ? 0 : Math.abs((labels[one] ?? 0) - (labels[other] ?? 0)) ** power);
  return bootstrapInterval(pairs.length, seed, (times) => {
    const [first, second] = [new Float64Array(labels.length), new Float64Array(labels.length)];
    let [of, observed] = [0, 0];
    for (const [at, [one, other]] of places.entries()) {
      const count = times[at] ?? 0;
      of += count;
      observed += count * apart(one, other);
      first[one] = (first[one] ?? 0) + count;
      second[other] = (second[other] ?? 0) + count;
    }
    return 1 - observed / of / expectedApart(labels, { first, second, of }, weighting);
  });
}

function inOrder(given: readonly number[]) {
  const labels = [...new Set(given)].toSorted((left, right) => left - right);
  const places = new Map(labels.map((label, place) => [label, place]));
  return { labels, placeOf: (label: number) => places.get(label) ?? 0 };
}

type Margins = { readonly first: Float64Array; readonly second: Float64Array; readonly of: number };

/** How far apart two are by chance, who say each label as often. In one pass, since of numbers there may be as many labels as items. */
function expectedApart(labels: readonly number[], { first, second, of }: Margins, weighting: Weighting): number {
  let [same, linear, below, belowSecond, sum, sumSecond, squares] = [0, 0, 0, 0, 0, 0, 0];
  for (const [at, label] of labels.entries()) {
    const [one, other, moved] = [(first[at] ?? 0) / of, (second[at] ?? 0) / of, label - (labels[0] ?? 0)];
    same += one * other;
    below += one;
    belowSecond += other;
    linear += ((labels[at + 1] ?? label) - label) * (below * (1 - belowSecond) + belowSecond * (1 - below));
    sum += one * moved;
    sumSecond += other * moved;
    squares += (one + other) * moved ** 2;
  }
  return { nominal: 1 - same, linear, quadratic: squares - 2 * sum * sumSecond }[weighting];
}

/**
 * K. Krippendorff's alpha (Content Analysis, 2004, chapter 11): what any number of people agree in beyond chance, who need not all have labelled each
 * item. Items with fewer than two labels tell nothing. Its interval is of items drawn again.
 *
 * @param items The labels of each item, in any order; null is none.
 * @returns Undefined where there is one label in all, or none was given twice.
 */
export function krippendorffAlpha(items: readonly (readonly (number | null)[])[], scale: Scale, seed: number): Interval | undefined {
  const told = items.map((labels) => labels.filter((label) => label !== null)).filter(({ length }) => length > 1);
  const { labels, placeOf } = inOrder(told.flat());
  const places = told.map((given) => given.map(placeOf));
  const apart = (given: readonly number[], values: readonly number[]) => sumApart(countEach(given), values, scale) / (given.length - 1);
  const distances = labels.map((label) => label - (labels[0] ?? 0));
  // Only ranks depend on which items are drawn.
  const known = scale === "ordinal" ? undefined : places.map((given) => apart(given, distances));
  return bootstrapInterval(told.length, seed, (times) => {
    const counts = new Float64Array(labels.length);
    let of = 0;
    for (const [at, given] of places.entries()) {
      const count = times[at] ?? 0;
      of += count * given.length;
      given.forEach((place) => (counts[place] = (counts[place] ?? 0) + count));
    }
    const values = scale === "ordinal" ? middleRanks(counts) : distances;
    const observed = places.reduce(
      (sum, given, at) => ((times[at] ?? 0) === 0 ? sum : sum + (times[at] ?? 0) * (known?.[at] ?? apart(given, values))),
      0,
    );
    return 1 - (observed * (of - 1)) / sumApart([...counts.entries()], values, scale);
  });
}

/** Of an ordinal label: how many labels are below it, with half of its own. */
function middleRanks(counts: Float64Array): readonly number[] {
  let below = 0;
  return Array.from(counts, (count) => {
    below += count;
    return below - count / 2;
  });
}

function countEach(places: readonly number[]): readonly (readonly [place: number, count: number])[] {
  return [...Map.groupBy(places, (place) => place)].map(([place, same]) => [place, same.length]);
}

/** The squared distances of all pairs of labels, each pair twice. */
function sumApart(counts: readonly (readonly [place: number, count: number])[], values: readonly number[], scale: Scale): number {
  let [of, same, sum, squares] = [0, 0, 0, 0];
  for (const [place, count] of counts) {
    const value = values[place] ?? 0;
    of += count;
    same += count ** 2;
    sum += count * value;
    squares += count * value ** 2;
  }
  return scale === "nominal" ? of ** 2 - same : 2 * (of * squares - sum ** 2);
}

/**
 * The intraclass correlation ICC(2,1) of P. Shrout and J. Fleiss (1979): how far numbers of two or more raters are the same ones, each rater taken
 * alone and by chance. Its interval is of items drawn again.
 *
 * @param items The numbers of each item, one of each rater, always in one order.
 * @returns Undefined where all numbers are one and the same.
 */
export function intraclassCorrelation(items: readonly (readonly number[])[], seed: number): Interval | undefined {
  const raters = items[0]?.length ?? 0;
  // From one number on, so that numbers far from zero lose nothing.
  const origin = items[0]?.[0] ?? 0;
  return bootstrapInterval(items.length, seed, (times) => {
    const sums = new Float64Array(raters);
    let [of, total, squares, squaresOfItems] = [0, 0, 0, 0];
    for (const [at, numbers] of items.entries()) {
      const count = times[at] ?? 0;
      let sum = 0;
      for (const [rater, number] of numbers.entries()) {
        const moved = number - origin;
        sum += moved;
        squares += count * moved ** 2;
        sums[rater] = (sums[rater] ?? 0) + count * moved;
      }
      of += count;
      total += count * sum;
      squaresOfItems += count * sum ** 2;
    }
    const common = total ** 2 / (of * raters);
    const [betweenItems, betweenRaters] = [squaresOfItems / raters - common, sums.reduce((sum, each) => sum + each ** 2, 0) / of - common];
    const [item, rater] = [betweenItems / (of - 1), betweenRaters / (raters - 1)];
    const error = (squares - common - betweenItems - betweenRaters) / ((of - 1) * (raters - 1));
    return (item - error) / (item + (raters - 1) * error + (raters * (rater - error)) / of);
  });
}
