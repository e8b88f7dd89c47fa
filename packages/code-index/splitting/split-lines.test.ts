import * as fc from "fast-check";
import { expect, test } from "vitest";
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
const code = fc.array(word, { maxLength: 400 }).map((words) => Buffer.from(words.join("")));
const bytes = fc.uint8Array({ maxLength: 20_000 }).map((array) => Buffer.from(array));
const letters = fc.integer({ min: 1, max: 20_000 }).map((length) => Buffer.from("ä".repeat(length)));

function weightOf(text: string): number {
  return Array.from(text).filter((character) => character > " ").length;
}

function cut(content: Buffer, { startByte, endByte }: Piece): Buffer {
  return content.subarray(startByte, endByte);
}

test("every byte of any file is in exactly one piece, in order", () => {
  fc.assert(
    fc.property(fc.oneof(code, bytes, letters), (content) => {
      const pieces = splitText(content);
      expect(pieces.map(({ startByte }) => startByte)).toEqual([0, ...pieces.map(({ endByte }) => endByte)].slice(0, pieces.length));
      expect(pieces.at(-1)?.endByte ?? 0).toBe(content.length);
      expect(pieces.every(({ startByte, endByte }) => endByte > startByte)).toBe(true);
    }),
  );
});

test("no piece holds more than 1,600 characters that are not white space, and none begins inside a character", () => {
  fc.assert(
    fc.property(fc.oneof(code, letters), (content) => {
      for (const piece of splitText(content)) {
        const text = cut(content, piece).toString("utf8");
        expect(weightOf(text)).toBeLessThanOrEqual(1_600);
        expect(text).not.toContain("\u{fffd}");
      }
    }),
  );
});

test("the lines of a piece are the ones its bytes are on", () => {
  fc.assert(
    fc.property(code, (content) => {
      for (const { startByte, endByte, startLine, endLine } of splitText(content)) {
        expect(startLine).toBe(content.subarray(0, startByte).toString("latin1").split("\n").length);
        expect(endLine).toBe(
          content
            .subarray(0, endByte - 1)
            .toString("latin1")
            .split("\n").length,
        );
      }
    }),
  );
});

test("a small file is one piece, an empty one is none", () => {
  expect(splitText(Buffer.from("a\nb"))).toEqual([{ startByte: 0, endByte: 3, startLine: 1, endLine: 2 }]);
  expect(splitText(Buffer.alloc(0))).toEqual([]);
});

test("a long file is cut before its functions", () => {
  const body = Array.from({ length: 14 }, (_, line) => `  const value${line} = compute(${line}, "some text to fill the line");\n`).join("");
  const content = Buffer.from(Array.from({ length: 9 }, (_, index) => `function step${index}() {\n${body}}\n\n`).join(""));
  const pieces = splitText(content);
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) {
    expect(cut(content, piece).toString("utf8")).toMatch(/^function step\d/);
  }
});
