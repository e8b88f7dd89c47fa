import { expect, test } from "vitest";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import { createWordMatcher } from "./match-words.ts";

test("a word is found in any form, and less by its beginning", () => {
  const { findMatches, findShare } = createWordMatcher(parseQuery("attributes of handlers"), []);
  expect([...findMatches(["attribute", "handler"]).values()]).toEqual([1, 1]);
  expect(findShare(findMatches(["attribute", "handler"]))).toBe(1);
  const short = findShare(findMatches(["attr"]));
  expect(short).toBeGreaterThan(0);
  expect(short).toBeLessThan(findShare(findMatches(["attribute"])));
  expect(findShare(findMatches(["a", "other"]))).toBe(0);
});

test("a rare word counts more than one that is everywhere, as the repository's own name is", () => {
  const { findMatches, findShare } = createWordMatcher(parseQuery("composer plugins"), [0.1, 4]);
  expect(findShare(findMatches(["composer"]))).toBeLessThan(0.1);
  expect(findShare(findMatches(["plugin"]))).toBeGreaterThan(0.9);
});

test("of a long text the weightiest words are all that a name can be expected to hold", () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${String.fromCodePoint(97 + (index % 26))}${index}`);
  const query = parseQuery(words.join(" "));
  const { findMatches, findShare } = createWordMatcher(query, []);
  expect(findShare(findMatches(words.slice(0, 12).map((word) => word.toLowerCase())))).toBe(1);
});
