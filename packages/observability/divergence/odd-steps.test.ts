import { expect, test } from "vitest";
import { compareNodes, type RunFacts } from "./compare-nodes.ts";
import type { NodeFact } from "./node-facts.ts";

const ITEMS = 1_000;
const STEPS = 12;
const BROKEN = 50;

const fact = (path: string, at: number): NodeFact => ({
  path,
  kind: "tool",
  begins: at * 2,
  ends: at * 2 + 1,
  edge: null,
  has_failed: false,
  input: path,
  output: { found: path },
  duration_ms: at,
  cost: null,
  place: { path: "agent.ts", line: 8 },
  caller: null,
});

/** Each item's steps bear its name, except for one, and for the one that broken runs take instead. */
function experiment(broken: number): readonly RunFacts[] {
  return Array.from({ length: ITEMS }, (_item, item) => ({
    item: String(item),
    cluster: null,
    has_failed: item < broken,
    nodes: Array.from({ length: STEPS }, (_step, at) =>
      at === 0 ? fact(item < broken ? "refund" : "ask", 0) : fact(`order ${item}-${at}`, at),
    ),
  }));
}

test("steps that are named by their items hide none that many have, and are not each compared over all items", () => {
  const { nodes, first_divergence: first } = compareNodes(experiment(BROKEN), experiment(0));
  expect(first).toMatchObject({ now: ["refund"], before: ["ask"], items: BROKEN, failing: BROKEN, candidate_place: { line: 8 } });
  expect(nodes.filter(({ stands_out: isOut, aspect }) => isOut && aspect === "runs").map(({ path }) => path)).toEqual(["ask", "refund"]);
});

test("runs without steps, and experiments without a common item, differ nowhere", () => {
  const none = experiment(0).map((run) => ({ ...run, nodes: [] }));
  expect(compareNodes(none, none)).toEqual({ nodes: [], first_divergence: null, is_repeated: false });
  expect(compareNodes(experiment(BROKEN), [])).toEqual({ nodes: [], first_divergence: null, is_repeated: false });
});
