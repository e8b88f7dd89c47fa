import type { BoxPlace } from "./graph-layout.ts";
import type { GraphLink, GraphModel } from "./graph-model.ts";

/** How an edge that leads back goes around the boxes between its ends. */
export type Detour = {
  readonly side: "left" | "right";
  /** Pixels from the outer of its two ends. */
  readonly distance: number;
};

/** Between a box and an edge that passes it. */
const ROOM_BESIDE = 16;

/** A longer way lies further out than the shorter ones beside it, as far as there is room. */
const [FURTHER_OUT, FURTHEST_OUT] = [8, 40];

type Bounds = Readonly<Record<"left" | "top" | "right" | "bottom", number>>;

/** Finds the way of each edge that leads back, or to its own box, in a graph that is read from the top down; the others have none. */
export function findDetours(model: GraphModel, places: ReadonlyMap<string, BoxPlace>): (link: GraphLink) => Detour | undefined {
  const bounds = boundsOf(model, places);
  return ({ from, to }) => {
    const [start, end] = [bounds.get(from), bounds.get(to)];
    if (start === undefined || end === undefined || end.top > start.top) {
      return undefined;
    }
    const isClear = (side: Detour["side"]) => [start, end].every((box) => [...bounds.values()].every((other) => !stands(other, side, box)));
    // It begins and ends in a straight line to the side, which should not strike a box through.
    const side = isClear("right") || !isClear("left") ? "right" : "left";
    const between = [...bounds.values()].filter(({ top }) => top >= end.top && top <= start.top);
    const outermost =
      side === "right"
        ? Math.max(...between.map(({ right }) => right)) - Math.max(start.right, end.right)
        : Math.min(start.left, end.left) - Math.min(...between.map(({ left }) => left));
    return { side, distance: ROOM_BESIDE + Math.min(between.length * FURTHER_OUT, FURTHEST_OUT) + outermost };
  };
}

/** Whether a box is beside another, at the height of its middle. */
function stands(box: Bounds, side: Detour["side"], beside: Bounds): boolean {
  const middle = (beside.top + beside.bottom) / 2;
  return box.top <= middle && box.bottom >= middle && (side === "right" ? box.left >= beside.right : box.right <= beside.left);
}

/** Where boxes are in the whole picture, boxes around them included. */
function boundsOf({ boxes }: GraphModel, places: ReadonlyMap<string, BoxPlace>): ReadonlyMap<string, Bounds> {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const startOf = (id: string, axis: "x" | "y"): number => {
    let start = 0;
    for (let box = byId.get(id); box !== undefined; box = box.parent === undefined ? undefined : byId.get(box.parent)) {
      start += places.get(box.id)?.[axis] ?? 0;
    }
    return start;
  };
  return new Map(
    boxes.map(({ id }) => {
      const [left, top, { width = 0, height = 0 } = {}] = [startOf(id, "x"), startOf(id, "y"), places.get(id)];
      return [id, { left, top, right: left + width, bottom: top + height }];
    }),
  );
}
