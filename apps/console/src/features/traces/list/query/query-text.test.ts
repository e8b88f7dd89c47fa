import { parseTraceQuery } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { toTraceQuery, splitQuery, valuesIn, withRange, withTerm, withToggled, withoutField } from "./query-text.ts";

describe("the values of a field in a query", () => {
  it("are those that a trace may have, none that it must not, and no patterns", () => {
    expect(valuesIn("refund status:failure,running", "status")).toEqual(["failure", "running"]);
    expect(valuesIn("-status:failure refund", "status")).toEqual([]);
    expect(valuesIn('model:gpt*,"gpt*" model:o1', "model")).toEqual(["gpt*", "o1"]);
  });

  it("are added to their term and taken out of it, and everything else stays", () => {
    expect(withToggled("", "status", "failure")).toBe("status:failure");
    expect(withToggled("refund  status:failure cost:>1", "status", "running")).toBe("refund  status:failure,running cost:>1");
    expect(withToggled("status:failure -status:running status:success", "status", "failure")).toBe("-status:running status:success");
    expect(withToggled("user:ann refund", "tag", 'to "do", soon')).toBe('user:ann refund tag:"to \\"do\\", soon"');
    expect(withToggled('user:ann refund tag:"to \\"do\\", soon"', "tag", 'to "do", soon')).toBe("user:ann refund");
    expect(withToggled("metadata.customer:acme,glo* x", "metadata.customer", "acme")).toBe("metadata.customer:glo* x");
  });

  it("can be left out", () => {
    expect(withoutField("tag:a refund tag:b,c -tag:d", "tag")).toBe("refund -tag:d");
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
    expect(toTraceQuery(state)).toEqual({ q: "refund started:>-168h", sort: "cost", order: "asc" });
  });
});

describe("the parts of a query", () => {
  it("are its terms as they are written, each with what is left without it", () => {
    expect(splitQuery(' refund  error:"no such" -user:a')).toEqual([
      { text: "refund", rest: 'error:"no such" -user:a' },
      { text: 'error:"no such"', rest: "refund -user:a" },
      { text: "-user:a", rest: 'refund  error:"no such"' },
    ]);
    expect(splitQuery(" ")).toEqual([]);
  });
});

describe("a term more", () => {
  it("stands behind the others", () => {
    expect([withTerm(" ", "user:a"), withTerm("refund ", "user:a")]).toEqual(["user:a", "refund user:a"]);
  });
});
