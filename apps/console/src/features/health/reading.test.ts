import { describe, expect, test } from "vitest";
import { toReading } from "./reading.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 10, minute));

describe("since when a component is as it is", () => {
  test("is when it was first seen so", () => {
    const first = toReading([{ id: "redis", state: "down" }], undefined, at(0));
    const second = toReading([{ id: "redis", state: "down" }], first, at(1));
    expect(second).toEqual([{ id: "redis", state: "down", since: at(0).toISOString() }]);
  });

  test("begins anew with a change", () => {
    const up = toReading([{ id: "redis", state: "up" }], undefined, at(0));
    const down = toReading([{ id: "redis", state: "down" }], up, at(1));
    expect(down[0]?.since).toBe(at(1).toISOString());
  });
});
