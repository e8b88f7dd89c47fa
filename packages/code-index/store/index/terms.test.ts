import { expect, test } from "vitest";
import { locateTerms, splitTerms } from "./terms.ts";

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
  ["日本語 text", ["日本語", "日本", "本語", "text"]],
  ["合并购物车。车", ["合并购物车", "合并", "并购", "购物", "物车", "车"]],
  ["调用getUser函数", ["调用getuser函数", "调用", "getuser", "get", "user", "函数"]],
  ["データを読む", ["データを読む", "デー", "ータ", "タを", "を読", "読む"]],
  ["ตะกร้า", ["ตะกร้า", "ตะ", "ะก", "กร", "ร้", "้า"]],
  ["사용자 이름", ["사용자", "이름"]],
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

test("pairs of characters are located where they overlap", () => {
  expect(locateTerms("x 购物车").map(({ term, from, to }) => `${term} ${from}-${to}`)).toEqual([
    "x 0-1",
    "购物车 2-5",
    "购物 2-4",
    "物车 3-5",
  ]);
  expect(locateTerms("getUserUser").map(({ term, from }) => `${term} ${from}`)).toEqual(["getuseruser 0", "get 0", "user 3", "user 7"]);
});
