import { expect, test } from "vitest";
import { memoizeRecent } from "./memoize.ts";

function counting(max: number) {
  const asked: string[] = [];
  const upper = memoizeRecent(max, (key) => {
    asked.push(key);
    return key.toUpperCase();
  });
  return { asked, upper };
}

test("what was asked recently is worked out once, and what was not is forgotten", () => {
  const { asked, upper } = counting(2);
  expect(["a", "b", "a", "c", "a", "b"].map(upper)).toEqual(["A", "B", "A", "C", "A", "B"]);
  expect(asked).toEqual(["a", "b", "c", "b"]);
});

test("a long text is not remembered", () => {
  const { asked, upper } = counting(2);
  const long = "x".repeat(1_000);
  expect([upper(long), upper(long)]).toEqual([long.toUpperCase(), long.toUpperCase()]);
  expect(asked).toHaveLength(2);
});
