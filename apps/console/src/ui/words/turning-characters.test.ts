import { expect, test } from "vitest";
import { formatCodePoint, cutAtTurns } from "./turning-characters.ts";

test("characters that turn the order of others are pieces of their own, and no letter is lost", () => {
  const text = '"none\u202E\u2066" admin\u2069';
  expect(cutAtTurns(text)).toEqual([
    { text: '"none', turns: undefined },
    { text: "\u202E", turns: "right-to-left override" },
    { text: "\u2066", turns: "left-to-right isolate" },
    { text: '" admin', turns: undefined },
    { text: "\u2069", turns: "end of an isolate" },
  ]);
  for (const character of "\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069") {
    expect(cutAtTurns(`a${character}b`)?.map((piece) => piece.text)).toEqual(["a", character, "b"]);
    expect(cutAtTurns(character)?.[0]?.turns, formatCodePoint(character)).toBeDefined();
  }
  expect(formatCodePoint("\u202E")).toBe("U+202E");
});

test("text that is written from right to left has none", () => {
  expect(cutAtTurns("שלום, مرحبا\u200F, plain")).toBeUndefined();
  expect(cutAtTurns("")).toBeUndefined();
});
