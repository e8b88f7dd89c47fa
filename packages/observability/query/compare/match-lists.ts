/** What an element is recognised by: `exact` also by its content, `name` alone when its content is another one. */
export type Keys = { readonly exact: string; readonly name: string };

/** Places of two elements that belong together. `isMoved`: among those that do, it is in another order. */
export type Match = { readonly a: number; readonly b: number; readonly isMoved: boolean };

type Matching = { readonly ofA: Int32Array; readonly moved: Set<number>; readonly takenB: Uint8Array };
type Range = { readonly fromA: number; readonly toA: number; readonly fromB: number; readonly toB: number };

/** Steps of looking for a longest common sequence at the most; lists that differ by more are matched by the order of equal names. */
const MAX_WORK = 10_000_000;
/** Differences at the most: what is remembered grows with their square. */
const MAX_DIFFERENCES = 2_000;

/**
 * Which elements of two lists belong together: first what is common to both in the same order, equal content before equal name; then what
 * is left over and has a twin at another place. Only elements of equal names are matched, and as many of them as there are in both.
 * Swapping the lists swaps the answer; a list matches itself place by place.
 *
 * @example
 * matchLists(["plan", "act"].map(same), ["act", "plan"].map(same)) // [{ a: 0, b: 1, isMoved: false }, { a: 1, b: 0, isMoved: true }]
 */
export function matchLists(a: readonly Keys[], b: readonly Keys[]): readonly Match[] {
  // Among several equally good answers the same one is given whichever list comes first.
  if (isBefore(b, a)) {
    return match(b, a)
      .map(({ a: inB, b: inA, isMoved }) => ({ a: inA, b: inB, isMoved }))
      .toSorted((left, right) => left.a - right.a);
  }
  return match(a, b);
}

function match(a: readonly Keys[], b: readonly Keys[]): readonly Match[] {
  const matching: Matching = { ofA: new Int32Array(a.length).fill(-1), moved: new Set(), takenB: new Uint8Array(b.length) };
  const exact = numbered(a, b, ({ exact: content, name }) => JSON.stringify([name, content]));
  const names = numbered(a, b, ({ name }) => name);
  const whole = { fromA: 0, toA: a.length, fromB: 0, toB: b.length };
  const wasOrdered = matchInOrder(exact, whole, matching);
  let isOrdered = true;
  for (const gap of wasOrdered ? gapsOf(matching, whole) : [whole]) {
    isOrdered = matchInOrder(names, gap, matching) && isOrdered;
  }
  // Where no order could be told, nothing can be said to be at another place.
  matchLeftOver(exact, matching, isOrdered);
  matchLeftOver(names, matching, isOrdered);
  return Array.from(matching.ofA, (inB, inA) => ({ a: inA, b: inB, isMoved: matching.moved.has(inA) })).filter(({ b: inB }) => inB >= 0);
}

/** Lexicographic, the shorter one first. */
function isBefore(left: readonly Keys[], right: readonly Keys[]): boolean {
  if (left.length !== right.length) {
    return left.length < right.length;
  }
  for (const [index, { exact, name }] of left.entries()) {
    const other = right[index];
    if (other !== undefined && (other.name !== name || other.exact !== exact)) {
      return other.name === name ? exact < other.exact : name < other.name;
    }
  }
  return false;
}

type Numbers = { readonly a: Int32Array; readonly b: Int32Array };

function numbered(a: readonly Keys[], b: readonly Keys[], keyOf: (keys: Keys) => string): Numbers {
  const numbers = new Map<string, number>();
  const numberOf = (keys: Keys): number => {
    const key = keyOf(keys);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  return { a: Int32Array.from(a, numberOf), b: Int32Array.from(b, numberOf) };
}

/** @returns false, and nothing is matched, when that would take too long. */
function matchInOrder({ a, b }: Numbers, { fromA, toA, fromB, toB }: Range, { ofA, takenB }: Matching): boolean {
  const take = (inA: number, inB: number): void => {
    ofA[inA] = inB;
    takenB[inB] = 1;
  };
  let [startA, startB, endA, endB] = [fromA, fromB, toA, toB];
  while (startA < endA && startB < endB && a[startA] === b[startB]) {
    [startA, startB] = [startA + 1, startB + 1];
  }
  while (startA < endA && startB < endB && a[endA - 1] === b[endB - 1]) {
    [endA, endB] = [endA - 1, endB - 1];
  }
  const middle = longestCommon(a.subarray(startA, endA), b.subarray(startB, endB));
  if (middle === undefined) {
    return false;
  }
  for (let offset = 0; fromA + offset < startA; offset += 1) {
    take(fromA + offset, fromB + offset);
  }
  for (const [inA, inB] of middle) {
    take(startA + inA, startB + inB);
  }
  for (let offset = 0; endA + offset < toA; offset += 1) {
    take(endA + offset, endB + offset);
  }
  return true;
}

/**
 * By Myers' greedy search: how far one comes on each diagonal with one difference more, until both lists are through.
 *
 * @returns undefined when the lists differ too much to be looked through.
 */
function longestCommon(a: Int32Array, b: Int32Array): readonly (readonly [number, number])[] | undefined {
  const max = Math.min(a.length + b.length, MAX_DIFFERENCES, Math.floor(MAX_WORK / Math.max(a.length + b.length, 1)));
  const reached = new Int32Array(2 * max + 3);
  const at = (diagonal: number): number => diagonal + max + 1;
  const trail: Int32Array[] = [];
  for (let differences = 0; differences <= max; differences += 1) {
    trail.push(reached.slice(at(-differences - 1), at(differences + 1) + 1));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const [below, above] = [reached[at(diagonal + 1)] ?? 0, reached[at(diagonal - 1)] ?? 0];
      let inA = diagonal === -differences || (diagonal !== differences && above < below) ? below : above + 1;
      while (inA < a.length && inA - diagonal < b.length && a[inA] === b[inA - diagonal]) {
        inA += 1;
      }
      reached[at(diagonal)] = inA;
      if (inA >= a.length && inA - diagonal >= b.length) {
        return walkBack(trail, a.length, b.length);
      }
    }
  }
  return undefined;
}

function walkBack(trail: readonly Int32Array[], lengthA: number, lengthB: number): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [inA, inB] = [lengthA, lengthB];
  for (let differences = trail.length - 1; differences >= 0; differences -= 1) {
    const reached = trail[differences] ?? new Int32Array();
    const reachedAt = (diagonal: number): number => reached[diagonal + differences + 1] ?? 0;
    const diagonal = inA - inB;
    const isDown = diagonal === -differences || (diagonal !== differences && reachedAt(diagonal - 1) < reachedAt(diagonal + 1));
    const before = isDown ? diagonal + 1 : diagonal - 1;
    const fromA = differences === 0 ? 0 : reachedAt(before);
    const fromB = differences === 0 ? 0 : fromA - before;
    while (inA > fromA && inB > fromB) {
      [inA, inB] = [inA - 1, inB - 1];
      pairs.push([inA, inB]);
    }
    [inA, inB] = [fromA, fromB];
  }
  return pairs.toReversed();
}

/** What lies between neighbours that are matched already. */
function gapsOf({ ofA }: Matching, { toA, toB }: Range): readonly Range[] {
  const gaps: Range[] = [];
  let [fromA, fromB] = [0, 0];
  for (let inA = 0; inA <= toA; inA += 1) {
    const inB = inA === toA ? toB : (ofA[inA] ?? -1);
    if (inB >= 0) {
      if (fromA < inA && fromB < inB) {
        gaps.push({ fromA, toA: inA, fromB, toB: inB });
      }
      [fromA, fromB] = [inA + 1, inB + 1];
    }
  }
  return gaps;
}

/** The first one left over of a number with the first of the other list, the second with the second. */
function matchLeftOver({ a, b }: Numbers, { ofA, moved, takenB }: Matching, isOrdered: boolean): void {
  const waiting = new Map<number, number[]>();
  for (const [inB, number] of b.entries()) {
    if (takenB[inB] === 0) {
      const places = waiting.get(number);
      if (places === undefined) {
        waiting.set(number, [inB]);
      } else {
        places.push(inB);
      }
    }
  }
  const used = new Map<number, number>();
  for (const [inA, number] of a.entries()) {
    const next = used.get(number) ?? 0;
    const inB = ofA[inA] === -1 ? waiting.get(number)?.[next] : undefined;
    if (inB !== undefined) {
      used.set(number, next + 1);
      ofA[inA] = inB;
      takenB[inB] = 1;
      if (isOrdered) {
        moved.add(inA);
      }
    }
  }
}
