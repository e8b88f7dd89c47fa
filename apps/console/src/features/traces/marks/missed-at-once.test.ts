import type { TraceGap } from "@sightline/observability/contract";
import { expect, it } from "vitest";
import { missedAtOnce } from "./missed-at-once.ts";

const [EARLY, LATE] = ["2026-11-23T14:56:50.000Z", "2026-11-23T14:58:20.000Z"];
const [ONE, OTHER] = ["018f0000-0000-7000-8000-000000000001", "018f0000-0000-7000-8000-000000000002"];

it("is one entry for each producer and moment, with the numbers in their order", () => {
  const gaps = [gap(ONE, EARLY, 1, 6), gap(ONE, EARLY, 8, 8), gap(OTHER, EARLY, 3, 3), gap(ONE, LATE, 12, 40)];
  expect(missedAtOnce(gaps)).toEqual([
    { producer_id: ONE, found_at: EARLY, numbers: "Numbers 1–6, 8" },
    { producer_id: OTHER, found_at: EARLY, numbers: "Number 3" },
    { producer_id: ONE, found_at: LATE, numbers: "Numbers 12–40" },
  ]);
});

function gap(producer: string, at: string, first: number, last: number): TraceGap {
  return { producer_id: producer, first_seq: first, last_seq: last, events: last - first + 1, found_at: at };
}
