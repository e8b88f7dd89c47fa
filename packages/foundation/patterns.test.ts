import { expect, test } from "vitest";
import { escapeExpression, escapeLike, likeBeginning, likeContaining, translateGlob } from "./patterns.ts";

test("a text stands for itself in a pattern of like, also with its wildcards in it", () => {
  expect(escapeLike(String.raw`100%_a\b`)).toBe(String.raw`100\%\_a\\b`);
  expect(likeContaining("a_b")).toBe(String.raw`%a\_b%`);
  expect(likeBeginning("a%")).toBe(String.raw`a\%%`);
});

test("a text stands for itself in a regular expression", () => {
  const text = String.raw`^a.b*c+d?(e)[f]{g}|h/i\j$`;
  expect(new RegExp(`^${escapeExpression(text)}$`, "u").test(text)).toBe(true);
});

test("a glob is translated: stars are anything, a question mark one character where it is a wildcard", () => {
  const like = { any: "%", one: "_", quote: escapeLike };
  expect(translateGlob("src/**_?.ts", like)).toBe(String.raw`src/%\__.ts`);
  expect(translateGlob("a?*", { any: ".*", quote: escapeExpression })).toBe(String.raw`a\?.*`);
  expect(translateGlob("", like)).toBe("");
});
