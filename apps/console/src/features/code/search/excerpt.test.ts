import { describe, expect, it } from "vitest";
import { excerptOf } from "./excerpt.ts";

const chunk = { start: 11, end: 60, context: 2, limit: 14 };

describe("the excerpt of a result", () => {
  it("is the beginning when no line matched by word", () => {
    expect(excerptOf({ ...chunk, matched: [] })).toEqual([{ start: 11, end: 24 }]);
    expect(excerptOf({ ...chunk, end: 13, matched: [] })).toEqual([{ start: 11, end: 13 }]);
  });

  it("shows a match with its neighbours, inside of the chunk", () => {
    expect(excerptOf({ ...chunk, matched: [30] })).toEqual([{ start: 28, end: 32 }]);
    expect(excerptOf({ ...chunk, matched: [11] })).toEqual([{ start: 11, end: 13 }]);
    expect(excerptOf({ ...chunk, matched: [60] })).toEqual([{ start: 58, end: 60 }]);
  });

  it("joins neighbours that touch and keeps the others apart", () => {
    expect(excerptOf({ ...chunk, matched: [20, 23, 40] })).toEqual([
      { start: 18, end: 25 },
      { start: 38, end: 42 },
    ]);
  });

  it("never shows more lines than its limit, whatever matched", () => {
    const spans = excerptOf({ ...chunk, matched: Array.from({ length: 50 }, (_, index) => 11 + index) });
    expect(spans).toEqual([{ start: 11, end: 24 }]);
  });

  it("leaves out matches that lie outside of the chunk", () => {
    expect(excerptOf({ ...chunk, matched: [5, 99] })).toEqual([{ start: 11, end: 24 }]);
  });
});
