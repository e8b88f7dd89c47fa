import { describe, expect, it } from "vitest";
import { askedRange, rangeBefore } from "#features/dashboards/api/asked-range.ts";
import { type Point, endOfStep, wholeSeries } from "./whole-series.ts";

const NOW = new Date("2026-11-22T10:20:00Z");

describe("the range that is asked for", () => {
  it("is the last 24 hours, in whole hours", () => {
    expect(askedRange({}, NOW)).toEqual({ from: "2026-11-21T11:00:00.000Z", to: "2026-11-22T11:00:00.000Z", step: "hour" });
  });

  it("is cut into days when it is long", () => {
    expect(askedRange({ span: "7d" }, NOW).step).toBe("hour");
    expect(askedRange({ span: "30d" }, NOW)).toMatchObject({ from: "2026-10-23T11:00:00.000Z", step: "day" });
  });

  it("holds both instants", () => {
    expect(askedRange({ from: "2026-11-20T09:30:00.000Z", to: "2026-11-20T11:01:00.000Z" }, NOW)).toEqual({
      from: "2026-11-20T09:00:00.000Z",
      to: "2026-11-20T12:00:00.000Z",
      step: "hour",
    });
  });

  it("comes after a time that is as long, and ends where it begins", () => {
    const range = { from: "2026-11-21T11:00:00.000Z", to: "2026-11-22T11:00:00.000Z", step: "hour" } as const;
    expect(rangeBefore(range)).toEqual({ from: "2026-11-20T11:00:00.000Z", to: "2026-11-21T11:00:00.000Z", step: "hour" });
  });

  it("is never more than the API answers, nor less than an hour", () => {
    const longest = askedRange({ from: "2001-01-01T00:00:00.000Z" }, NOW);
    expect((Date.parse(longest.to) - Date.parse(longest.from)) / 3_600_000).toBe(732 * 24);
    expect(askedRange({ from: "2026-12-01T00:00:00.000Z" }, NOW)).toMatchObject({ from: "2026-11-22T10:00:00.000Z" });
  });
});

describe("a series", () => {
  const range = { from: "2026-11-21T09:00:00.000Z", to: "2026-11-21T12:00:00.000Z", step: "hour" } as const;
  const counted = { count: 3, failures: 1, p50_ms: 1, p95_ms: 2, p99_ms: 3, mean_ms: 1 };
  const point: Point = {
    time: "2026-11-21T10:00:00.000Z",
    input_tokens: 5,
    output_tokens: 5,
    cost: 1,
    time_to_first_token: { p50_ms: 300, p95_ms: 900, p99_ms: 900, mean_ms: 400 },
    traces: counted,
  };

  it("has a point for each step, nothing where nothing happened, and no duration there", () => {
    const series = wholeSeries({ ...range, series: [point] });
    expect(series.map(({ traces }) => traces.count)).toEqual([0, 3, 0]);
    expect(series[0]).toMatchObject({ time: range.from, cost: null, traces: { p95_ms: null }, time_to_first_token: { p50_ms: null } });
    expect(series[1]).toMatchObject({ time_to_first_token: { p50_ms: 300 } });
  });

  it("of days begins with the day in which its time begins", () => {
    const series = wholeSeries({ from: "2026-11-20T11:00:00.000Z", to: "2026-11-22T11:00:00.000Z", step: "day", series: [] });
    expect(series.map(({ time }) => time.slice(0, 10))).toEqual(["2026-11-20", "2026-11-21", "2026-11-22"]);
  });

  it("says where a step ends", () => {
    expect(endOfStep(range.from, "hour")).toBe("2026-11-21T10:00:00.000Z");
  });
});
