import { expect, test } from "vitest";
import { randomOf } from "@sightline/foundation/testing/random";
import { findDifferences } from "./find-differences.ts";

const UUIDS = ["0198a0f0-0000-7000-8000-000000000001", "0198a0f0-0000-7000-8000-000000000002"] as const;

test.each([
  [1, 1, []],
  ["Paris", "Rome", [["", "Paris", "Rome"]]],
  [null, { a: 1 }, [["", "null", '{"a":1}']]],
  [
    { a: 1, b: 2 },
    { b: 3, c: "new" },
    [
      ["a", "1", null],
      ["b", "2", "3"],
      ["c", null, "new"],
    ],
  ],
  [{ a: [1, 2, 3] }, { a: [1, 9, 2, 3] }, [["a[1]", null, "9"]]],
  [{ messages: [{ content: "hi" }] }, { messages: [{ content: "ho" }] }, [["messages[0].content", "hi", "ho"]]],
  [["a", "b"], ["c", "b"], [["[0]", "a", "c"]]],
  [{ constructor: 1 }, {}, [["constructor", "1", null]]],
  [{ id: UUIDS[0] }, { id: UUIDS[1] }, []],
  [{ tool_call_id: "call_a8Xk2Lw9" }, { tool_call_id: "call_b7Yk3Mw8" }, []],
  [{ created: 1_790_000_000 }, { created: 1_790_000_009 }, []],
  // Not every id is generated, and not every generated one is an id of the run.
  [{ id: "order 1" }, { id: "order 2" }, [["id", "order 1", "order 2"]]],
  [{ id: 1 }, { id: 2 }, [["id", "1", "2"]]],
  [{ order: UUIDS[0] }, { order: UUIDS[1] }, [["order", UUIDS[0], UUIDS[1]]]],
] as readonly [unknown, unknown, readonly (readonly [string, string | null, string | null])[]][])(
  "%j and %j differ at %j",
  (a, b, expected) => {
    expect(findDifferences(a, b)).toEqual({
      differences: expected.map(([path, left, right]) => ({ path, a: left, b: right })),
      isCut: false,
    });
  },
);

test("of long texts what surrounds the first difference is shown", () => {
  const [lead, tail] = ["x".repeat(5_000), "y".repeat(5_000)];
  const [difference] = findDifferences(`${lead}Paris${tail}`, `${lead}Rome${tail}`).differences;
  expect(difference?.a).toMatch(/^…x{60}Parisy{235}…$/);
  expect(difference?.b).toMatch(/^…x{60}Romey{236}…$/);
});

test("texts are cut between characters, not within them", () => {
  const text = "\u{1F600}".repeat(2_000);
  for (const other of ["a", `${text}a`, `a${text}`, `${text.slice(0, 1_001)}a`]) {
    for (const { a, b } of findDifferences(text, other).differences) {
      expect([a?.isWellFormed(), b?.isWellFormed()]).toEqual([true, true]);
    }
  }
});

test("no more than twenty differences are listed, and it is said that there are more", () => {
  const found = findDifferences(
    Array.from({ length: 1_000 }, (_, index) => index),
    Array.from({ length: 1_000 }, (_, index) => index + 0.5),
  );
  expect(found.differences).toHaveLength(20);
  expect(found.isCut).toBe(true);
});

test("a value does not differ from itself, and swapping the values swaps the sides", () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const random = randomOf(seed);
    const [a, b] = [valueOf(random, 4), valueOf(random, 4)];
    expect(findDifferences(a, structuredClone(a))).toEqual({ differences: [], isCut: false });
    const { differences, isCut } = findDifferences(a, b);
    expect(findDifferences(b, a)).toEqual({
      differences: differences.map(({ path, a: left, b: right }) => ({ path, a: right, b: left })),
      isCut,
    });
    expect(differences.length === 0).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
  }
});

test("values two hundred levels deep are walked through", () => {
  const nested = (leaf: unknown): unknown => Array.from({ length: 200 }).reduce((inner) => [inner], leaf);
  const [difference] = findDifferences(nested(1), nested(2)).differences;
  expect(difference).toMatchObject({ a: "1", b: "2" });
});

function valueOf(random: () => number, depth: number): unknown {
  const drawn = random();
  const length = Math.floor(random() * 4);
  if (depth === 0 || drawn < 0.4) {
    return [null, true, 1, 2, "a", "b"][Math.floor(random() * 6)];
  }
  return drawn < 0.7
    ? Array.from({ length }, () => valueOf(random, depth - 1))
    : Object.fromEntries(Array.from({ length }, () => ["abc"[Math.floor(random() * 3)] ?? "a", valueOf(random, depth - 1)]));
}

/** With the keys in one order, since theirs means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([key, item]) => [key, sorted(item)]),
      )
    : value;
}
