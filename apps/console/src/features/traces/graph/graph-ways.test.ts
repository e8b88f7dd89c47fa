import { describe, expect, it } from "vitest";
import { placeBoxes } from "./graph-layout.ts";
import { aggregatedGraph } from "./graph-model.ts";
import { findDetours } from "./graph-detours.ts";

const edge = (from: string, to: string, conditional = false) => ({ from, to, conditional });
const modelOf = (nodes: readonly string[], edges: readonly ReturnType<typeof edge>[]) =>
  aggregatedGraph({ declared: { nodes: [...nodes], edges: [...edges] }, taken: [] }, []);

describe("an edge that leads back", () => {
  // The graph of most agents: tools and the end stand beside each other, and tools leads back.
  const agent = modelOf(
    ["__start__", "think", "tools", "__end__"],
    [edge("__start__", "think"), edge("think", "tools", true), edge("think", "__end__", true), edge("tools", "think")],
  );

  it("goes around on the side on which no box is struck through", () => {
    const places = placeBoxes(agent);
    const wayOf = findDetours(agent, places);
    const back = agent.links.find(({ from }) => from === "tools");
    const [tools, end] = [places.get("tools"), places.get("__end__")];
    expect(back && wayOf(back)?.side).toBe((tools?.x ?? 0) < (end?.x ?? 0) ? "left" : "right");
    expect(agent.links.filter((link) => wayOf(link) !== undefined)).toEqual([back]);
  });

  it("stays on the right where nothing is beside it, outside of every box between its ends", () => {
    const line = modelOf(["a", "b", "c"], [edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("b", "b")]);
    const wayOf = findDetours(line, placeBoxes(line));
    const ways = line.links.map((link) => wayOf(link)).filter((way) => way !== undefined);
    expect(ways.map(({ side }) => side)).toEqual(["right", "right"]);
    expect(ways.every(({ distance }) => distance >= 16)).toBe(true);
  });
});
