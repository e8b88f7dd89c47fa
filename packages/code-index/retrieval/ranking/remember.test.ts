import { expect, test } from "vitest";
import { rememberLately } from "./remember.ts";

function counting(most: number) {
  const asked: string[] = [];
  const lengthOf = rememberLately(most, (key) => {
    asked.push(key);
    return key.length;
  });
  return { asked, lengthOf };
}

test("what was asked lately is worked out once, and what was not is forgotten", () => {
  const { asked, lengthOf } = counting(2);
  const keys = ["a", "bb", "a", "bb", "ccc", "a", "dddd", "bb"];
  expect(keys.map(lengthOf)).toEqual([1, 2, 1, 2, 3, 1, 4, 2]);
  // `a` was asked for again after `ccc` and stays; `bb` was not.
  expect(asked).toEqual(["a", "bb", "ccc", "dddd", "bb"]);
});

test("a long text is not remembered", () => {
  const { asked, lengthOf } = counting(2);
  const long = "x".repeat(1_000);
  expect([lengthOf(long), lengthOf(long)]).toEqual([1_000, 1_000]);
  expect(asked).toHaveLength(2);
});
