import { expect, test } from "vitest";
import { foldTrace } from "./fold-trace.ts";

const segment = { id: "run", status: "success", started: 0, sorted_at: 0, ended: 1_000, error: null } as const;

/** Nodes that each pass on the failure of the tool in them. */
const climbs = Array.from({ length: 20 }, (_, at) => {
  const step = {
    status: "failure",
    error: "ValueError: order 42 was not found",
    started: at,
    ended: at + 1,
    duration_ms: 1,
    producer: "one",
  } as const;
  return [
    { ...step, id: `node ${at}`, parent_id: null, seen: at, seq: 2 * at },
    { ...step, id: `tool ${at}`, parent_id: `node ${at}`, seen: at, seq: 2 * at + 1 },
  ];
}).flat();

test("of more failures than are looked at, as many arose in the others as in those", () => {
  expect(foldTrace({ segments: [segment], failed: 40, failed_steps: climbs }).failures).toBe(20);
  expect(foldTrace({ segments: [segment], failed: 3_000, failed_steps: climbs }).failures).toBe(1_500);
  expect(foldTrace({ segments: [segment], failed: 0, failed_steps: [] }).failures).toBe(0);
});
