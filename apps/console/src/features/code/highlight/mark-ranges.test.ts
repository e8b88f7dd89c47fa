import { describe, expect, it } from "vitest";
import { markRanges } from "./mark-ranges.ts";

const LINE = [
  { text: "const ", color: "red" },
  { text: "total", color: undefined },
  { text: " = 1;", color: "blue" },
];

describe("what was found in a line", () => {
  it("is marked across and within the pieces of a colour, which stay what they are", () => {
    const pieces = markRanges(LINE, [[3, 8]]);
    expect(pieces.map(({ text, color, marked }) => [text, color, marked])).toEqual([
      ["con", "red", false],
      ["st ", "red", true],
      ["to", undefined, true],
      ["tal", undefined, false],
      [" = 1;", "blue", false],
    ]);
  });

  it("may be several places, touch the ends, and never changes the text", () => {
    const pieces = markRanges(LINE, [
      [0, 5],
      [6, 11],
      [15, 99],
    ]);
    expect(pieces.map(({ text }) => text).join("")).toBe("const total = 1;");
    expect(pieces.filter(({ marked }) => marked).map(({ text }) => text)).toEqual(["const", "total", ";"]);
    expect(markRanges([], [[0, 1]])).toEqual([]);
  });
});
