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
export function placeBoxes(
  { boxes, links }: Pick<GraphModel, "boxes" | "links">,
  direction: "TB" | "LR" = "TB",
): ReadonlyMap<string, BoxPlace> {
  const places = new Map<string, BoxPlace>();
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const inside = Map.groupBy(boxes, ({ parent }) => (parent !== undefined && byId.has(parent) ? parent : undefined));

  function place(around: string | undefined): { readonly width: number; readonly height: number } {
    const graph = new graphlib.Graph();
    graph.setGraph({ rankdir: direction, nodesep: 30, ranksep: direction === "TB" ? 46 : 60, marginx: PADDING, marginy: PADDING });
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
    return inside.has(box.id) ? place(box.id) : box.kind === "step" ? STEP : END;
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

/** In which direction boxes can be drawn larger where there is so much room. */
export function bestDirection(model: Pick<GraphModel, "boxes" | "links">, room: { readonly width: number; readonly height: number }) {
  const scaleOf = (direction: "TB" | "LR"): number => {
    const places = [...placeBoxes(model, direction).values()];
    return Math.min(
      room.width / Math.max(...places.map(({ x, width }) => x + width)),
      room.height / Math.max(...places.map(({ y, height }) => y + height)),
    );
  };
  return scaleOf("TB") >= scaleOf("LR") ? "TB" : "LR";
}
