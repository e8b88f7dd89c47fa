import { describe, expect, test } from "vitest";
import { randomOf } from "@sightline/foundation/testing/random";
import { matchLists, type Keys, type Match } from "./match-lists.ts";

/** `plan`, or `plan=1` for a content of its own. */
function listOf(text: string): readonly Keys[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({ name: word.split("=")[0] ?? "", exact: word }));
}

function inWords(a: string, b: string): string {
  return matchLists(listOf(a), listOf(b))
    .map(({ a: inA, b: inB, isMoved }) => `${inA}-${inB}${isMoved ? " moved" : ""}`)
    .join(", ");
}

const randomLists = Array.from({ length: 400 }, (_, seed) => {
  const random = randomOf(seed);
  const draw = (): readonly Keys[] =>
    Array.from({ length: Math.floor(random() * 14) }, () => {
      const name = "abcd"[Math.floor(random() * 4)] ?? "a";
      return { name, exact: `${name}${Math.floor(random() * 3)}` };
    });
  return [draw(), draw()] as const;
});

describe("of two lists", () => {
  test.each([
    ["", "", ""],
    ["plan act", "plan act", "0-0, 1-1"],
    ["plan act plan act", "act plan act", "1-0, 2-1, 3-2"],
    ["plan act", "plan search act", "0-0, 1-2"],
    // Content tells which of several equal names is new.
    ["tool=1 tool=2", "tool=0 tool=1 tool=2", "0-1, 1-2"],
    // Without equal content the name does.
    ["tool=1 tool=2", "tool=3 tool=4 tool=5", "0-0, 1-1"],
    ["a b c", "c a b", "0-1, 1-2, 2-0 moved"],
    ["w=1 w=2 w=3", "w=3 w=1 w=2", "0-1, 1-2, 2-0 moved"],
  ])("%j and %j, what belongs together is %j", (a, b, expected) => {
    expect(inWords(a, b)).toBe(expected);
  });

  test("a list matches itself, place by place", () => {
    for (const [list] of randomLists) {
      expect(matchLists(list, list)).toEqual(list.map((_, index) => ({ a: index, b: index, isMoved: false })));
    }
  });

  test("swapping the lists swaps the answer", () => {
    for (const [a, b] of randomLists) {
      expect(swapped(matchLists(b, a))).toEqual(matchLists(a, b));
    }
  });

  test("of each name as many are matched as both have, each once, and only with its like", () => {
    for (const [a, b] of randomLists) {
      const matches = matchLists(a, b);
      expect(new Set(matches.map((match) => match.a)).size).toBe(matches.length);
      expect(new Set(matches.map((match) => match.b)).size).toBe(matches.length);
      expect(matches.every((match) => a[match.a]?.name === b[match.b]?.name)).toBe(true);
      for (const name of "abcd") {
        const [inA, inB] = [a, b].map((list) => list.filter((keys) => keys.name === name).length);
        expect(matches.filter((match) => a[match.a]?.name === name)).toHaveLength(Math.min(inA ?? 0, inB ?? 0));
      }
    }
  });

  test("what has not moved is in the same order in both, and without contents a longest such sequence", () => {
    for (const [a, b] of randomLists) {
      const kept = matchLists(a, b).filter(({ isMoved }) => !isMoved);
      expect(kept.every((match, index) => index === 0 || match.b > (kept[index - 1]?.b ?? -1))).toBe(true);
      const [namesOfA, namesOfB] = [a, b].map((list) => list.map(({ name }) => ({ name, exact: name })));
      const byName = matchLists(namesOfA ?? [], namesOfB ?? []).filter(({ isMoved }) => !isMoved);
      expect(byName).toHaveLength(longest(namesOfA ?? [], namesOfB ?? []));
    }
  });

  test("twenty thousand elements that have nothing in order are matched all the same, and none is called moved", () => {
    const random = randomOf(7);
    const draw = (): readonly Keys[] =>
      Array.from({ length: 20_000 }, () => {
        const name = `n${Math.floor(random() * 5_000)}`;
        return { name, exact: name };
      });
    const [a, b] = [draw(), draw()];
    const matches = matchLists(a, b);
    expect(matches.length).toBeGreaterThan(10_000);
    expect(matches.some(({ isMoved }) => isMoved)).toBe(false);
    expect(swapped(matchLists(b, a))).toEqual(matches);
  });
});

function swapped(matches: readonly Match[]): readonly Match[] {
  return matches.map(({ a, b, isMoved }) => ({ a: b, b: a, isMoved })).toSorted((left, right) => left.a - right.a);
}

/** The length of a longest common sequence, by the table that everybody knows. */
function longest(a: readonly Keys[], b: readonly Keys[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  const at = (inA: number, inB: number): number => table[inA]?.[inB] ?? 0;
  for (const [inA, left] of a.entries()) {
    for (const [inB, right] of b.entries()) {
      const row = table[inA + 1];
      if (row !== undefined) {
        row[inB + 1] = left.name === right.name ? at(inA, inB) + 1 : Math.max(at(inA, inB + 1), at(inA + 1, inB));
      }
    }
  }
  return at(a.length, b.length);
}
