import { parseTraceQuery } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { askedOf, partsOf, statusesIn, withRange, withStatuses, withTerm } from "./query-text.ts";

describe("the statuses of a query", () => {
  it("are those of its term", () => {
    expect(statusesIn("refund status:failure,running")).toEqual(["failure", "running"]);
    expect(statusesIn("-status:failure refund")).toEqual([]);
  });

  it("are replaced, and everything else stays", () => {
    expect(withStatuses("refund  status:failure cost:>1", ["running"])).toBe("status:running refund cost:>1");
    expect(withStatuses("status:failure -status:running status:success", [])).toBe("-status:running");
    expect(withStatuses("", ["failure", "running"])).toBe("status:failure,running");
  });
});

describe("a time range", () => {
  it("becomes terms that can be read", () => {
    const texts = [
      withRange("refund", { span: "7d" }),
      withRange("", { from: "2026-11-21T10:00:00.000Z", to: "2026-11-22T10:00:00.000Z" }),
      withRange("", {}),
    ];
    expect(texts).toEqual(["refund started:>-168h", "started:>=2026-11-21T10:00:00.000Z started:<2026-11-22T10:00:00.000Z", ""]);
    expect(texts.flatMap((text) => parseTraceQuery(text).errors)).toEqual([]);
  });
});

describe("what the API is asked for", () => {
  it("is the query with its times, in the order that is shown", () => {
    const state = { q: "refund", range: { span: "7d" }, sort: "cost", order: "asc" } as const;
    expect(askedOf(state)).toEqual({ q: "refund started:>-168h", sort: "cost", order: "asc" });
  });
});

describe("the parts of a query", () => {
  it("are its terms as they are written, each with what is left without it", () => {
    expect(partsOf(' refund  error:"no such" -user:a')).toEqual([
      { text: "refund", rest: 'error:"no such" -user:a' },
      { text: 'error:"no such"', rest: "refund -user:a" },
      { text: "-user:a", rest: 'refund  error:"no such"' },
    ]);
    expect(partsOf(" ")).toEqual([]);
  });
});

describe("a term more", () => {
  it("stands behind the others", () => {
    expect([withTerm(" ", "user:a"), withTerm("refund ", "user:a")]).toEqual(["user:a", "refund user:a"]);
  });
});
