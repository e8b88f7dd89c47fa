import { describe, expect, it } from "vitest";
import { formatLineRange, inRange, parseLineRange } from "./line-range.ts";

describe("a range of lines in an address", () => {
  it("reads one line and several, with and without the hash sign", () => {
    expect(parseLineRange("#L10")).toEqual({ start: 10, end: 10 });
    expect(parseLineRange("L10-L20")).toEqual({ start: 10, end: 20 });
    expect(parseLineRange("#L10-20")).toEqual({ start: 10, end: 20 });
  });

  it("puts a range that was written backwards in order", () => {
    expect(parseLineRange("#L20-L10")).toEqual({ start: 10, end: 20 });
  });

  it.each(["", "#", "#L0", "#L", "#main", "#L1-", "#L1-L2-L3", "#L999999999999", "#L-5"])("takes %j for no range", (hash) => {
    expect(parseLineRange(hash)).toBeUndefined();
  });

  it("comes back as it was written", () => {
    expect(["L7", "L7-L9"].map((text) => formatLineRange(parseLineRange(text) ?? { start: 0, end: 0 }))).toEqual(["L7", "L7-L9"]);
  });

  it("holds its first and last line and nothing without a range", () => {
    const range = { start: 3, end: 5 };
    expect([2, 3, 5, 6].map((line) => inRange(range, line))).toEqual([false, true, true, false]);
    expect(inRange(undefined, 3)).toBe(false);
  });
});
