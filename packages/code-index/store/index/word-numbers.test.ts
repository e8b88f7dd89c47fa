import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { expect, test } from "vitest";
import { truncateWord, splitWords } from "./terms.ts";
import { createWordNumbers } from "./word-numbers.ts";

/** The words by the numbers that are read. */
function reader() {
  const learned: string[] = [];
  const words = createWordNumbers((word) => learned.push(word));
  return { learned, read: (text: string) => Array.from(words.read(text), (number) => learned[number]) };
}

test.for([
  "getUserName(id) + getUserName(other)",
  "a",
  " ",
  "",
  "$scope _private 2x",
  "größe größer GRÖSSE",
  "größe", // The same in other characters.
  "日本語 text 日本語",
  "Zeile\r\nend",
])("the words of %j are those that they are elsewhere", (text) => {
  const { read } = reader();
  expect(read(text)).toEqual(splitWords(text));
});

test("a long word is the word of its beginning, between characters, and learned once", () => {
  const { read, learned } = reader();
  const [ascii, other] = ["b".repeat(10_000), "a" + "\u{1D400}".repeat(40)];
  expect(read(`${ascii} ${"b".repeat(64)}`)).toEqual(["b".repeat(64), "b".repeat(64)]);
  expect(read(other)).toEqual([truncateWord(other)]);
  expect(learned).toHaveLength(2);
});

test(`any number of words keeps its numbers (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  const text = Array.from({ length: 60_000 }, () => Math.floor(random() * 36 ** (1 + random() * 4)).toString(36)).join(" ");
  const { read, learned } = reader();
  const expected = splitWords(text);
  expect(read(text)).toEqual(expected);
  expect(read(text)).toEqual(expected);
  expect(new Set(learned).size).toBe(learned.length);
});
