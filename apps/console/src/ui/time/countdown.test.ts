import { describe, expect, it } from "vitest";
import { toClock, secondsLeft } from "./countdown.ts";

describe("a countdown", () => {
  it("counts whole seconds, and none when it is over", () => {
    expect([secondsLeft(300_000, 0), secondsLeft(300_000, 1), secondsLeft(300_000, 299_999), secondsLeft(300_000, 300_000)]).toEqual([
      300, 300, 1, 0,
    ]);
    expect(secondsLeft(0, 1_700_000_000_000)).toBe(0);
  });

  it("reads like a clock", () => {
    expect([toClock(0), toClock(9), toClock(245), toClock(900), toClock(3_720)]).toEqual(["0:00", "0:09", "4:05", "15:00", "1:02:00"]);
  });
});
