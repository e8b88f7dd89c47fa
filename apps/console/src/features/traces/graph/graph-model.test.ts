import { describe, expect, it } from "vitest";
import { placeBoxes, placeCalls } from "./graph-layout.ts";
import { aggregatedGraph, MAX_BOXES, callGraph, expandedGraph, graphThatRan, boxState } from "./graph-model.ts";
import { step } from "#features/traces/testing/step.ts";

const graph = {
  declared: {
    nodes: ["__start__", "plan", "team", "team:search", "done", "__end__"],
    edges: [
      { from: "__start__", to: "plan", conditional: false },
      { from: "plan", to: "team", conditional: true },
      { from: "plan", to: "done", conditional: true },
      { from: "team", to: "plan", conditional: false },
      { from: "done", to: "__end__", conditional: false },
    ],
  },
  taken: [
    { from: "__start__", to: "plan", via: "static" as const, count: 1 },
    { from: "plan", to: "team", via: "conditional" as const, count: 1 },
    { from: "team", to: "plan", via: "static" as const, count: 1 },
    { from: "plan", to: "wait", via: "goto" as const, count: 1 },
  ],
};
const run = (id: string, node: string, graphStep: number, more = {}) => step(id, { graph_node: node, graph_step: graphStep, ...more });
const steps = [
  run("p1", "plan", 1, { start: 0, duration: 10 }),
  run("t", "team", 2, { start: 20, duration: 50 }),
  run("s", "team:search", 1, { start: 25, duration: 30, parent: "t" }),
  step("model", { kind: "llm", parent: "s", start: 26 }),
  run("p2", "plan", 3, { start: 80, duration: 5, status: "failure" as const }),
  run("w", "wait", 4, { start: 100, duration: null }),
];

it("agents without nodes are no graph, and one that is declared is before it ran", () => {
  const agent = step("agent", { kind: "graph" });
  const none = { declared: null, taken: [] };
  expect(graphThatRan(none, [agent, step("model", { kind: "llm", parent: "agent" })])).toBeNull();
  expect(graphThatRan(none, [agent, run("p1", "plan", 1)])).toBe(none);
  expect(graphThatRan(graph, [agent])).toBe(graph);
});

describe("a graph with a box for each node", () => {
  const model = aggregatedGraph(graph, steps);

  it("has what was declared, what ran, and the nodes of inner graphs inside theirs", () => {
    expect(model.boxes.map(({ id, parent, runs }) => [id, parent, runs.length])).toEqual([
      ["plan", undefined, 2],
      ["team", undefined, 1],
      ["team:search", "team", 1],
      ["wait", undefined, 1],
      ["__start__", undefined, 0],
      ["done", undefined, 0],
      ["__end__", undefined, 0],
    ]);
    expect(model.total).toBe(7);
  });

  it("has edges that were declared, gone, or both, with how and how often", () => {
    const link = (from: string, to: string) => model.links.find((one) => one.from === from && one.to === to);
    expect(link("plan", "team")).toMatchObject({ isDeclared: true, taken: [{ via: "conditional", count: 1 }] });
    expect(link("plan", "done")).toMatchObject({ isDeclared: true, taken: [] });
    expect(link("plan", "wait")).toMatchObject({ isDeclared: false, taken: [{ via: "goto", count: 1 }] });
    expect(model.links).toHaveLength(6);
  });

  it("knows how each node stood at every moment, and how it stands now", () => {
    const at = (moment: number) => Object.fromEntries(model.boxes.map((box) => [box.id, boxState(box, model, moment).status]));
    expect(at(0)).toMatchObject({ plan: "idle", team: "idle" });
    expect(at(1)).toMatchObject({ plan: "running", team: "idle" });
    expect(at(3)).toMatchObject({ plan: "success", team: "running", "team:search": "running", wait: "idle" });
    expect(at(5)).toMatchObject({ plan: "failure", team: "success", "team:search": "success", wait: "running" });
    const plan = model.boxes[0];
    const planned = plan === undefined ? undefined : boxState(plan, model, 5);
    expect(planned).toMatchObject({ runs: 2, failures: 1, total: 15, last: { id: "p2" } });
  });

  it("leaves out nodes that never ran first when there are too many, and says how many there are", () => {
    const nodes = Array.from({ length: 500 }, (_, index) => `node-${index}`);
    const many = aggregatedGraph({ declared: { nodes, edges: [] }, taken: [] }, [run("x", "node-499", 1)]);
    expect(many.boxes).toHaveLength(MAX_BOXES);
    expect(many.total).toBe(500);
    expect(many.boxes[0]?.id).toBe("node-499");
  });
});

describe("a graph with a box for each run", () => {
  it("leads from the last runs of a node to the next ones of those it led to", () => {
    const model = expandedGraph(graph, steps);
    expect(model.boxes.map(({ id, parent }) => [id, parent])).toEqual([
      ["p1", undefined],
      ["t", undefined],
      ["s", "t"],
      ["p2", undefined],
      ["w", undefined],
    ]);
    expect(model.links.map(({ from, to }) => [from, to])).toEqual([
      ["p1", "t"],
      ["t", "p2"],
      ["p2", "w"],
    ]);
  });
});

it("a run of a loop comes from the step before it alone, but one that waited from all it waited for", () => {
  const taken = [
    { from: "plan", to: "think", via: "static" as const, count: 1 },
    { from: "act", to: "think", via: "static" as const, count: 1 },
    { from: "think", to: "act", via: "conditional" as const, count: 1 },
    { from: "plan", to: "sum", via: "join" as const, count: 1 },
    { from: "think", to: "sum", via: "join" as const, count: 1 },
  ];
  const names = ["plan", "think", "act", "think", "sum"];
  const runs = names.map((node, index) => run(`${node}${index}`, node, index + 1, { start: index }));
  expect(expandedGraph({ declared: null, taken }, runs).links.map(({ from, to }) => `${from} ${to}`)).toEqual([
    "plan0 think1",
    "think1 act2",
    "act2 think3",
    "plan0 sum4",
    "think3 sum4",
  ]);
});

it("without a graph shows what called what, also where a parent is missing", () => {
  const model = callGraph({ id: "trace", name: "run" }, [step("a"), step("b", { parent: "a" }), step("c", { parent: "gone" })]);
  expect(model.links.map(({ from, to }) => [from, to])).toEqual([
    ["trace", "a"],
    ["a", "b"],
    ["trace", "c"],
  ]);
});

describe("the layout", () => {
  it("puts inner boxes inside the outer one and none over another", () => {
    const model = aggregatedGraph(graph, steps);
    const places = placeBoxes(model);
    const [team, search] = [places.get("team"), places.get("team:search")];
    expect(team?.isGroup).toBe(true);
    expect((search?.x ?? 0) + (search?.width ?? 0)).toBeLessThanOrEqual(team?.width ?? 0);
    expect((search?.y ?? 0) + (search?.height ?? 0)).toBeLessThanOrEqual(team?.height ?? 0);
    const top = model.boxes.filter(({ parent }) => parent === undefined).flatMap(({ id }) => places.get(id) ?? []);
    for (const [index, one] of top.entries()) {
      for (const other of top.slice(index + 1)) {
        const overlap =
          one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
        expect(overlap).toBe(false);
      }
    }
  });

  it("places two hundred boxes in a line, and a node that leads to itself", () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const taken = names.map((to, index) => ({ from: names[Math.max(index - 1, 0)] ?? "", to, via: "static" as const, count: 1 }));
    expect(placeBoxes(aggregatedGraph({ declared: null, taken }, [])).size).toBe(200);
  });
});

it("calls lie one below the other, each moved in from its caller, and none is left out where they go in a circle", () => {
  const calls = [step("a"), step("b", { parent: "a" }), step("c", { parent: "b" }), step("d", { parent: "a" })];
  const circle = [step("x", { parent: "y" }), step("y", { parent: "x" })];
  const model = callGraph({ id: "t", name: "agent" }, calls);
  const placed = [...placeCalls(model)].map(([id, { x, y }]) => ({ id, x, y }));
  expect(placed.map(({ id, x }) => [id, x / 32])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 1],
  ]);
  expect(placed.map(({ y }) => y)).toEqual(placed.map(({ y }) => y).toSorted((one, other) => one - other));
  expect(placeCalls(callGraph({ id: "t", name: "agent" }, circle)).size).toBe(3);
});
