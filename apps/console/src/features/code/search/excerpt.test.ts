import { expect, test } from "vitest";
import { cutExcerpt } from "./excerpt.ts";
import type { Range } from "#features/code/highlight/mark-ranges.ts";

const LINES = ["function pause() {", "  // retry", "  return 1;", "}", "function retry(pause) {", "  retry();", "}"];
const START = 11;

/** What is shown of the lines, when every `retry` and `pause` of these lines is found. */
function shown(matched: readonly number[], limit = 3) {
  const matches = new Map(matched.map((line) => [line, rangesIn(LINES[line - START] ?? "")]));
  return cutExcerpt({ lines: LINES, start: START, end: 17, matches, limit }).map(({ start, end }) => `${start}-${end}`);
}

function rangesIn(line: string): readonly Range[] {
  return [...line.matchAll(/retry|pause/g)].map(({ 0: word, index }) => [index, index + word.length]);
}

test("the lines with the most different words come first, and stand in their order", () => {
  expect(shown([11, 12, 15, 16])).toEqual(["11-12", "15-15"]);
  expect(shown([12, 15, 16], 1)).toEqual(["15-15"]);
});

test("where few lines match, those after the first are shown as well, and at a chunk's end those before", () => {
  expect(shown([12])).toEqual(["12-14"]);
  expect(shown([17])).toEqual(["15-17"]);
});

test("a chunk without a match is shown from its beginning", () => {
  expect(shown([])).toEqual(["11-13"]);
});

test("lines that only import a word come after those that do something with it", () => {
  const lines = ['import { retry } from "retry";', "const { pause } = require('pause');", "", "function run() {", "  retry();", "}"];
  const matches = new Map(lines.flatMap((line, index) => (rangesIn(line).length > 0 ? [[index + 1, rangesIn(line)] as const] : [])));
  expect(cutExcerpt({ lines, start: 1, end: 6, matches, limit: 1 })).toEqual([{ start: 5, end: 5 }]);
});
