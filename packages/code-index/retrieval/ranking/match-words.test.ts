import { expect, test } from "vitest";
import { parseQuery } from "#retrieval/query/query.ts";
import { createWordMatcher } from "./match-words.ts";

test("a word is found in any form, and less by its beginning", () => {
  const { matchesOf, shareOf } = createWordMatcher(parseQuery("attributes of handlers"), []);
  expect([...matchesOf(["attribute", "handler"]).values()]).toEqual([1, 1]);
  expect(shareOf(matchesOf(["attribute", "handler"]))).toBe(1);
  const short = shareOf(matchesOf(["attr"]));
  expect(short).toBeGreaterThan(0);
  expect(short).toBeLessThan(shareOf(matchesOf(["attribute"])));
  expect(shareOf(matchesOf(["a", "other"]))).toBe(0);
});

test("a rare word counts more than one that is everywhere, as the repository's own name is", () => {
  const { matchesOf, shareOf } = createWordMatcher(parseQuery("composer plugins"), [0.1, 4]);
  expect(shareOf(matchesOf(["composer"]))).toBeLessThan(0.1);
  expect(shareOf(matchesOf(["plugin"]))).toBeGreaterThan(0.9);
});

test("of a long text the weightiest words are all that a name can be expected to hold", () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${String.fromCodePoint(97 + (index % 26))}${index}`);
  const query = parseQuery(words.join(" "));
  const { matchesOf, shareOf } = createWordMatcher(query, []);
  expect(shareOf(matchesOf(words.slice(0, 12).map((word) => word.toLowerCase())))).toBe(1);
});
