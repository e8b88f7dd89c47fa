import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readSourceText } from "./source-text.ts";
import { splitText, type Piece } from "./split-lines.ts";

const word = fc.constantFrom(
  "const ",
  "x",
  "  ",
  "\n",
  "\n\n",
  "\t",
  "é",
  "❤️",
  "日本",
  "}\n",
  "function f() {\n",
  "\r\n",
  "a".repeat(700),
);
const code = fc.array(word, { maxLength: 400 }).map((words) => words.join(""));
const letters = fc.integer({ min: 1, max: 20_000 }).map((length) => "ä".repeat(length));

function weightOf(text: string): number {
  return Array.from(text).filter((character) => character > " ").length;
}

function split(text: string): readonly Piece[] {
  return splitText(readSourceText(Buffer.from(text)));
}

function cut(text: string, { from, to }: Piece): string {
  return text.slice(from, to);
}

test("every character of any text is in exactly one piece, in order", () => {
  fc.assert(
    fc.property(fc.oneof(code, letters), (text) => {
      const pieces = split(text);
      expect(pieces.map((piece) => cut(text, piece)).join("")).toBe(text);
      expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.map(({ to }) => to)].slice(0, pieces.length));
      expect(pieces.every(({ from, to }) => to > from)).toBe(true);
    }),
  );
});

test("no piece holds more than 1,600 characters that are not white space, and none begins inside a character", () => {
  fc.assert(
    fc.property(fc.oneof(code, letters), (text) => {
      for (const piece of split(text)) {
        expect(weightOf(cut(text, piece))).toBeLessThanOrEqual(1_600);
        expect(cut(text, piece).isWellFormed()).toBe(true);
      }
    }),
  );
});

test("a part of a text is cut as a text of its own", () => {
  const source = readSourceText(Buffer.from(`// before\n${"a".repeat(2_000)}\n// after`));
  expect(splitText(source, { from: 10, to: 2_011 })).toEqual([
    { from: 10, to: 1_610 },
    { from: 1_610, to: 2_011 },
  ]);
});

test("a small file is one piece, an empty one is none", () => {
  expect(split("a\nb")).toEqual([{ from: 0, to: 3 }]);
  expect(split("")).toEqual([]);
});

test("a long file is cut before its functions", () => {
  const body = Array.from({ length: 14 }, (_, line) => `  const value${line} = compute(${line}, "some text to fill the line");\n`).join("");
  const text = Array.from({ length: 9 }, (_, index) => `function step${index}() {\n${body}}\n\n`).join("");
  const pieces = split(text);
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) {
    expect(cut(text, piece)).toMatch(/^function step\d/);
  }
});
