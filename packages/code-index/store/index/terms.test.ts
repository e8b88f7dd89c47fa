import { expect, test } from "vitest";
import { splitTerms } from "./terms.ts";

test.for([
  ["getUserName(id)", ["getusername", "get", "user", "name", "id"]],
  ["parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]],
  ["snake_case_name", ["snake_case_name", "snake", "case", "name"]],
  ["MAX_RETRIES", ["max_retries", "max", "retries"]],
  ["__init__", ["__init__", "init"]],
  ["sha256 utf8", ["sha256", "utf8"]],
  ["sha256Sum", ["sha256sum", "sha256", "sum"]],
  ["if (!not) for", ["if", "not", "for"]],
  ["größeInMetern", ["größeinmetern", "größe", "in", "metern"]],
  ["日本語 text", ["日本語", "text"]],
  ["", []],
] as const)("%s becomes its words and their parts", ([text, terms]) => {
  expect(splitTerms(text)).toEqual(terms);
});

test("a word too long to be a name is cut to the same term in a text and in a query", () => {
  const [term] = splitTerms("a".repeat(10_000));
  expect(term).toHaveLength(64);
  expect(splitTerms("a".repeat(64))).toEqual([term]);
});

test("a word is cut between characters, never inside one", () => {
  for (const word of ["a" + "\u{1D400}".repeat(40), "\u{20000}".repeat(40)]) {
    expect(splitTerms(word).every((term) => term.isWellFormed() && term.length <= 64)).toBe(true);
  }
});
