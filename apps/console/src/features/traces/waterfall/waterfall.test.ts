import { growTree } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { step } from "#features/traces/testing/step.ts";
import { pan, placeOf, runSpans, stepSpan, ticks, traceSpan, waitSpans, zoom, zoomTo } from "./waterfall.ts";

const WHOLE = { start: 1_000, end: 2_000 };
const at = (time: number): string => new Date(time).toISOString();

describe("the time of a trace", () => {
  it("reaches from the first to the last thing known of it, whatever its producers' clocks said", () => {
    const tree = growTree([step("early", { start: -500, duration: 10 }), step("late", { start: 90, duration: 110 })]);
    expect(traceSpan({ status: "success", started_at: at(0), ended_at: at(100) }, tree, 9_999)).toEqual({ start: -500, end: 200 });
  });

  it("reaches to now while it runs, and so do its running steps", () => {
    const tree = growTree([step("a", { start: 50, duration: null })]);
    const whole = traceSpan({ status: "running", started_at: at(0), ended_at: null }, tree, 200);
    expect(whole).toEqual({ start: 0, end: 200 });
    expect(tree.nodes.map((node) => stepSpan(node, whole))).toEqual([{ start: 50, end: 200 }]);
  });
});

describe("a bar", () => {
  it("lies where its time lies in what is shown", () => {
    expect(placeOf({ start: 1_250, end: 1_750 }, WHOLE)).toEqual({ left: 0.25, width: 0.5 });
  });

  it("is cut at the edges, and is none outside of them", () => {
    expect(placeOf({ start: 500, end: 1_500 }, WHOLE)).toEqual({ left: 0, width: 0.5 });
    expect(placeOf({ start: 0, end: 999 }, WHOLE)).toBeUndefined();
    expect(placeOf({ start: 2_001, end: 3_000 }, WHOLE)).toBeUndefined();
  });
});

describe("zooming", () => {
  it("keeps the moment in place around which it zooms", () => {
    expect(zoom(WHOLE, WHOLE, { factor: 2, around: 1_200 })).toEqual({ start: 1_100, end: 1_600 });
  });

  it("never leaves the whole, neither out nor sideways", () => {
    expect(zoom({ start: 1_100, end: 1_200 }, WHOLE, { factor: 0.01, around: 1_150 })).toEqual(WHOLE);
    expect(pan({ start: 1_800, end: 2_000 }, WHOLE, 0.5)).toEqual({ start: 1_800, end: 2_000 });
    expect(pan({ start: 1_800, end: 2_000 }, WHOLE, -0.5)).toEqual({ start: 1_700, end: 1_900 });
  });

  it("ends at a millisecond", () => {
    const closest = zoom({ start: 1_000, end: 1_002 }, WHOLE, { factor: 100, around: 1_000 });
    expect(closest.end - closest.start).toBe(1);
  });

  it("to a step leaves some room around it", () => {
    expect(zoomTo({ start: 1_400, end: 1_500 }, WHOLE)).toEqual({ start: 1_390, end: 1_510 });
    expect(zoomTo({ start: 1_000, end: 1_990 }, WHOLE)).toEqual(WHOLE);
  });
});

describe("the axis", () => {
  const offsets = (length: number, most = 5) =>
    ticks({ start: 0, end: length }, { start: 0, end: length }, most).map(({ offset }) => offset);

  it("has round moments, and no more of them than fit", () => {
    expect(offsets(1_000)).toEqual([0, 200, 400, 600, 800, 1_000]);
    expect(offsets(7)).toEqual([0, 2, 4, 6]);
  });

  it("counts minutes and hours as people do", () => {
    expect(offsets(120_000)).toEqual([0, 30_000, 60_000, 90_000, 120_000]);
    expect(offsets(3_600_000)).toEqual([0, 900_000, 1_800_000, 2_700_000, 3_600_000]);
    expect(offsets(10 * 86_400_000)).toEqual([0, 2, 4, 6, 8, 10].map((days) => days * 86_400_000));
  });

  it("counts from the start of the whole when only a part is shown", () => {
    expect(ticks({ start: 1_500, end: 1_600 }, WHOLE, 2)).toEqual([
      { at: 0, offset: 500 },
      { at: 0.5, offset: 550 },
      { at: 1, offset: 600 },
    ]);
  });

  it("is empty where nothing took any time", () => {
    expect(ticks({ start: 5, end: 5 }, { start: 5, end: 5 }, 5)).toEqual([]);
  });
});

describe("the runs of a trace", () => {
  const run = (start: number, end: number | null) => ({
    id: String(start),
    status: "interrupted" as const,
    started_at: at(start),
    ended_at: end === null ? null : at(end),
  });

  it("leave out when people were waited for, and the last may still go on", () => {
    expect(runSpans([run(1_000, 1_100), run(1_800, null)], WHOLE)).toEqual([
      { start: 1_000, end: 1_100 },
      { start: 1_800, end: 2_000 },
    ]);
    expect(waitSpans([{ from: at(1_100), to: at(1_800) }])).toEqual([{ start: 1_100, end: 1_800 }]);
  });
});
