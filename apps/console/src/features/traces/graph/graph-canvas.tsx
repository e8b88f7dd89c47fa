import "@xyflow/react/dist/base.css";
import {
  Background,
  Controls,
  type Edge,
  type EdgeTypes,
  MarkerType,
  type Node,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  BaseEdge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  getSmoothStepPath,
} from "@xyflow/react";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useMemo } from "react";
import { type BoxPlace, placeBoxes, placeCalls } from "./graph-layout.ts";
import type { BoxState, GraphBox, GraphLink, GraphModel } from "./graph-model.ts";
import { type Detour, findDetours } from "./graph-detours.ts";
import { type GraphNodeData, GraphNode } from "./graph-node.tsx";
import classes from "./graph-canvas.module.css";

/** On both sides is room for the edges that lead back, to the right, where most are, also for half of what is written on them. */
const FIT = { padding: { top: "16px", right: "104px", bottom: "16px", left: "64px" }, maxZoom: 1.1 } as const;
/** Around calls, in pixels; and how small they may become, so that they can still be read. */
const [CALLS_MARGIN, MIN_CALLS_ZOOM] = [16, 0.85];

type Box = Node<GraphNodeData, "box">;

type CanvasEdge = Edge<GraphEdgeData, "way">;

const NODE_TYPES: NodeTypes = { box: GraphNode };
const EDGE_TYPES: EdgeTypes = { way: GraphEdge };

type GraphCanvasProps = {
  readonly model: GraphModel;
  readonly states: ReadonlyMap<string, BoxState>;
  /** Whether it is what called what, each call below its caller. */
  readonly isOfCalls: boolean;
  /** A step's id. */
  readonly selected: string;
  readonly onSelect: (id: string) => void;
};

/** The graph to look at: moved by dragging and scrolling, its boxes in the order of the table for the keyboard. */
export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ model, states, isOfCalls, selected, onSelect }: GraphCanvasProps) {
  const { ref: frame, width, height } = useElementSize();
  const places = useMemo(() => (isOfCalls ? placeCalls(model) : placeBoxes(model)), [model, isOfCalls]);
  const nodes = useMemo(
    () => outerFirst(model.boxes).map((box) => toNode(box, places, { state: states.get(box.id), isCall: isOfCalls, selected, onSelect })),
    [model, places, states, isOfCalls, selected, onSelect],
  );
  const edges = useMemo(() => {
    const wayOf = isOfCalls ? () => undefined : findDetours(model, places);
    return model.links.map((link) => toEdge(link, wayOf(link), isOfCalls));
  }, [model, places, isOfCalls]);
  const { fitView, setViewport } = useReactFlow();
  // All of it is in view when the room changes, or where boxes are; of many calls as much as can be read, from the first on.
  useEffect(() => {
    if (width * height * places.size === 0) {
      return;
    }
    if (isOfCalls) {
      const widest = Math.max(...[...places.values()].map((place) => place.x + place.width));
      const zoom = Math.min(FIT.maxZoom, Math.max(MIN_CALLS_ZOOM, (width - 2 * CALLS_MARGIN) / widest));
      void setViewport({ x: CALLS_MARGIN, y: CALLS_MARGIN, zoom });
    } else {
      void fitView(FIT);
    }
  }, [fitView, setViewport, isOfCalls, places, width, height]);
  return (
    <div ref={frame} className={classes.canvas} role="group" aria-label="Graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitViewOptions={FIT}
        panOnScroll={isOfCalls}
        minZoom={0.08}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={22} size={1} />
        <Controls showInteractive={false} position={isOfCalls ? "bottom-right" : "bottom-left"} />
      </ReactFlow>
    </div>
  );
}

/** The library wants boxes before those inside them. */
function outerFirst(boxes: readonly GraphBox[]): readonly GraphBox[] {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const depthOf = (box: GraphBox): number => {
    const parent = box.parent === undefined ? undefined : byId.get(box.parent);
    return parent === undefined ? 0 : 1 + depthOf(parent);
  };
  return boxes.toSorted((left, right) => depthOf(left) - depthOf(right));
}

type Look = Pick<GraphNodeData, "state" | "isCall" | "selected" | "onSelect">;

function toNode(box: GraphBox, places: ReadonlyMap<string, BoxPlace>, look: Look): Box {
  const { x, y, width, height, isGroup } = places.get(box.id) ?? { x: 0, y: 0, width: 0, height: 0, isGroup: false };
  const isInside = box.parent !== undefined && places.has(box.parent);
  return {
    id: box.id,
    type: "box",
    position: { x, y },
    ...(isInside && box.parent !== undefined ? { parentId: box.parent } : {}),
    width,
    height,
    data: { ...look, box, isGroup, isSelected: box.runs.some(({ id }) => id === look.selected) },
  };
}

function toEdge(link: GraphLink, around: Detour | undefined, isCall: boolean): CanvasEdge {
  const count = link.taken.reduce((sum, taken) => sum + taken.count, 0);
  const ways = [...new Set(link.taken.map(({ via }) => via))].filter((via) => via !== "static");
  const words = [count > 1 ? `×${count}` : "", ...ways].filter((word) => word !== "");
  const color = ways.includes("error") ? "var(--sl-bad)" : count > 0 ? "var(--sl-busy)" : "var(--mantine-color-dimmed)";
  return {
    id: link.id,
    source: link.from,
    target: link.to,
    type: "way",
    ...(around === undefined
      ? { sourceHandle: "out", targetHandle: "in" }
      : { sourceHandle: `out-${around.side}`, targetHandle: `in-${around.side}` }),
    data: { words: words.join(" · "), wayAround: isCall ? 0 : around?.distance },
    className: (count > 0 ? classes.taken : classes.declared) ?? "",
    style: { stroke: color },
    markerEnd: { type: MarkerType.ArrowClosed, color, width: 16, height: 16 },
    zIndex: 1,
  };
}

type GraphEdgeData = {
  /** How often and how it was taken. */
  readonly words: string;
  /** How far to the side an edge goes around that leads back. */
  readonly wayAround: number | undefined;
};

/** An edge whose words lie above all edges: the library's own are struck through by those that are drawn later. */
function GraphEdge({ data, markerEnd, style, ...ends }: EdgeProps<Edge<GraphEdgeData, "way">>) {
  const { words = "", wayAround } = data ?? {};
  const [path, x, y] = wayAround === undefined ? getBezierPath(ends) : getSmoothStepPath({ ...ends, offset: wayAround });
  return (
    <>
      <BaseEdge path={path} {...(markerEnd === undefined ? {} : { markerEnd })} {...(style === undefined ? {} : { style })} />
      {words !== "" && (
        <EdgeLabelRenderer>
          <span className={classes.words} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {words}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
