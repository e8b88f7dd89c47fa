import { expect, it } from "vitest";
import { wordAround } from "./word-at.ts";

it.each([
  ["  return parseLine(text);", 12, "parseLine"],
  ["  return parseLine(text);", 9, "parseLine"],
  ["  return parseLine(text);", 18, "parseLine"],
  ["const größe_2 = $el;", 8, "größe_2"],
  ["const größe_2 = $el;", 17, "$el"],
  ["a + 42", 5, undefined],
  ["x = 1", 0, undefined],
  ["a  b", 2, undefined],
  ["", 0, undefined],
])("in %j the word at %i is %s", (text, offset, word) => {
  expect(wordAround(text, offset)).toBe(word);
});
