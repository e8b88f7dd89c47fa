import { describe, expect, it } from "vitest";
import {
  asSentence,
  formatAge,
  formatBytes,
  formatCost,
  formatCount,
  asTick,
  formatDuration,
  plural,
  formatExactCount,
  formatShare,
  formatScaleTime,
} from "./format.ts";

describe("figures for people", () => {
  it.each([
    [0, "$0.00"],
    [0.000_04, "< $0.0001"],
    [0.000_66, "$0.0007"],
    [0.025, "$0.0250"],
    [0.46, "$0.46"],
    [0.999_99, "$1.00"],
    [1_204.5, "$1,204.50"],
  ])("shows %d dollars as %s", (dollars, text) => {
    expect(formatCost(dollars)).toBe(text);
  });

  it.each([
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [87.4, "87 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1_420, "1.42 s"],
    [6_400, "6.40 s"],
    [59_999, "1 min"],
    [65_210, "1 min 5 s"],
    [120_000, "2 min"],
    [3_599_900, "1 h"],
    [7_800_000, "2 h 10 min"],
  ])("shows %d milliseconds as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it.each([
    [2, "just now"],
    [42, "42 s ago"],
    [61, "1 min ago"],
    [7_300, "2 h ago"],
    [90_000, "yesterday"],
    [200_000, "2 days ago"],
    [-5, "just now"],
  ])("shows what was %d seconds ago as %s", (seconds, text) => {
    const now = new Date("2026-01-10T12:00:00Z");
    expect(formatAge(new Date(now.getTime() - seconds * 1000), now)).toBe(text);
  });

  it.each([
    [0, "0 B"],
    [512, "512 B"],
    [1_430, "1.4 kB"],
    [23_400_000, "23 MB"],
  ])("shows %d bytes as %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it("shortens big counts and finds the plural", () => {
    expect([950, 9_999, 12_345, 4_100_000].map(formatCount)).toEqual(["950", "9,999", "12.3K", "4.1M"]);
    expect([plural(1, "step", "steps"), plural(0, "step", "steps")]).toEqual(["1 step", "0 steps"]);
  });

  it("shows a share with a digit more where it is small, and whole counts whole", () => {
    expect([0, 0.0042, 0.05, 0.124, 1, 10.04].map(formatShare)).toEqual(["0%", "0.4%", "5%", "12%", "100%", "1,004%"]);
    expect(formatExactCount(12_345)).toBe("12,345");
  });
});

it.each([
  ["there is no project 7", "There is no project 7"],
  ['v is "2", this reads 1', 'v is "2", this reads 1'],
  ["body.trace_id: Invalid UUID", "body.trace_id: Invalid UUID"],
])("shows the reason %s as %s", (reason, sentence) => {
  expect(asSentence(reason)).toBe(sentence);
});

it("a scale has seconds where its parts are shorter than a minute, so that its ends differ", () => {
  const [first, last] = [new Date("2026-01-31T10:20:05Z"), new Date("2026-01-31T10:20:50Z")];
  expect(formatScaleTime(first, 500)).not.toBe(formatScaleTime(last, 500));
  expect(formatScaleTime(first, 500)).toContain(":05");
  expect(formatScaleTime(first, 60_000)).not.toContain(":05");
});

it.each([
  ["10.50 s", "10.5 s"],
  ["7 s", "7 s"],
  ["120 ms", "120 ms"],
  ["2 min 30 s", "2 min 30 s"],
  ["$0.20", "$0.20"],
])("%s is %s on an axis", (text, tick) => {
  expect(asTick(text)).toBe(tick);
});
