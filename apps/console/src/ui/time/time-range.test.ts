import { describe, expect, it } from "vitest";
import { fromLocalField, rangeInWords, readTimeRange, toLocalField } from "./time-range.ts";

describe("a time range in the address", () => {
  it("is a span that ends now", () => {
    expect(readTimeRange({ span: "7d" })).toEqual({ span: "7d" });
  });

  it("is two instants, which go before a span", () => {
    expect(readTimeRange({ span: "7d", from: "2026-11-21T10:00Z", to: "2026-11-22T10:00Z" })).toEqual({
      from: "2026-11-21T10:00:00.000Z",
      to: "2026-11-22T10:00:00.000Z",
    });
  });

  it("may be open at one side", () => {
    expect(readTimeRange({ from: "2026-11-21T10:00Z" })).toEqual({ from: "2026-11-21T10:00:00.000Z", to: undefined });
  });

  it("is all of the time where the address makes no sense", () => {
    expect(readTimeRange({ span: "for ever" })).toEqual({});
    expect(readTimeRange({ from: "yesterday" })).toEqual({});
    expect(readTimeRange({ from: "2026-11-22T10:00Z", to: "2026-11-21T10:00Z" })).toEqual({});
  });
});

describe("a time range in words", () => {
  it("says what it is", () => {
    expect(rangeInWords({})).toBe("All time");
    expect(rangeInWords({ span: "24h" })).toBe("Last 24 hours");
    expect(rangeInWords({ from: "2026-11-21T10:00:00.000Z" })).toMatch(/^Since /);
    expect(rangeInWords({ from: "2026-11-21T10:00:00.000Z", to: "2026-11-22T10:00:00.000Z" })).toContain(" – ");
  });
});

describe("a field for a local time", () => {
  it("gives back what it was given", () => {
    expect(fromLocalField(toLocalField("2026-11-21T10:00:00.000Z"))).toBe("2026-11-21T10:00:00.000Z");
  });

  it("is empty for no time", () => {
    expect([toLocalField(undefined), fromLocalField("")]).toEqual(["", undefined]);
  });
});
