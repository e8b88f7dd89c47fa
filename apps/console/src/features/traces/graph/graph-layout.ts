import { graphlib, layout } from "@dagrejs/dagre";
import type { GraphBox, GraphModel } from "./graph-model.ts";

/** Pixels; the place is within the box around it. */
export type BoxPlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isGroup: boolean;
};

const STEP = { width: 184, height: 54 };
const END = { width: 72, height: 30 };
const [PADDING, HEAD] = [16, 46];

/**
 * Places boxes from the top down, each graph inside a node by itself first: so a link may lead to a box that has others in it, which the
 * layout's own nesting cannot do.
 */
export function placeBoxes({ boxes, links }: Pick<GraphModel, "boxes" | "links">): ReadonlyMap<string, BoxPlace> {
  const places = new Map<string, BoxPlace>();
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const inside = Map.groupBy(boxes, ({ parent }) => (parent !== undefined && byId.has(parent) ? parent : undefined));

  function place(around: string | undefined): { readonly width: number; readonly height: number } {
    const graph = new graphlib.Graph();
    graph.setGraph({ rankdir: "TB", nodesep: 30, ranksep: 46, marginx: PADDING, marginy: PADDING });
    graph.setDefaultEdgeLabel(() => ({}));
    const siblings = inside.get(around) ?? [];
    for (const box of siblings) {
      graph.setNode(box.id, { ...sizeOf(box) });
    }
    for (const { from, to } of links) {
      const [source, target] = [childAround(from, around), childAround(to, around)];
      if (source !== undefined && target !== undefined && source !== target) {
        graph.setEdge(source, target);
      }
    }
    layout(graph);
    const head = around === undefined ? 0 : HEAD;
    for (const { id } of siblings) {
      const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) as { x?: number; y?: number; width?: number; height?: number };
      places.set(id, { x: x - width / 2, y: y - height / 2 + head, width, height, isGroup: inside.has(id) });
    }
    const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
    return { width: Math.max(width, STEP.width), height: height + head };
  }

  function sizeOf(box: GraphBox): { readonly width: number; readonly height: number } {
    return inside.has(box.id) ? place(box.id) : sizeOfBox(box);
  }

  /** Which of the boxes right inside `around` holds it. */
  function childAround(id: string, around: string | undefined): string | undefined {
    for (let box = byId.get(id); box !== undefined; box = box.parent === undefined ? undefined : byId.get(box.parent)) {
      const parent = box.parent !== undefined && byId.has(box.parent) ? box.parent : undefined;
      if (parent === around) {
        return box.id;
      }
    }
    return undefined;
  }

  place(undefined);
  return places;
}

/** Pixels between the calls of the same step, and by which they are moved in. */
const [CALL_GAP, CALL_INDENT] = [10, 32];

/** Places calls one below the other, each moved in from its caller: so they stay as narrow as the panel however many a step makes. */
export function placeCalls({ boxes, links }: Pick<GraphModel, "boxes" | "links">): ReadonlyMap<string, BoxPlace> {
  const places = new Map<string, BoxPlace>();
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const called = Map.groupBy(links, ({ from }) => from);
  const callees = new Set(links.map(({ to }) => to));
  // What nothing calls comes first; calls in a circle have no such step.
  const waiting = boxes
    .toSorted((one, other) => Number(callees.has(one.id)) - Number(callees.has(other.id)))
    .map((box) => ({ box, depth: 0 }));
  let y = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { box, depth } = next;
    if (places.has(box.id)) {
      continue;
    }
    const size = sizeOfBox(box);
    places.set(box.id, { x: depth * CALL_INDENT, y, ...size, isGroup: false });
    y += size.height + CALL_GAP;
    const inner = (called.get(box.id) ?? []).flatMap(({ to }) => byId.get(to) ?? []);
    waiting.unshift(...inner.map((callee) => ({ box: callee, depth: depth + 1 })));
  }
  return places;
}

function sizeOfBox({ kind }: GraphBox): { readonly width: number; readonly height: number } {
  return kind === "step" ? STEP : END;
}
