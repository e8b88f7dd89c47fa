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
import { bestDirection, type BoxPlace, placeBoxes } from "./graph-layout.ts";
import type { BoxState, GraphBox, GraphLink, GraphModel } from "./graph-model.ts";
import { type Detour, findDetours } from "./graph-detours.ts";
import { type GraphNodeData, GraphNode } from "./graph-node.tsx";
import classes from "./graph-canvas.module.css";

/** On both sides is room for the edges that lead back, to the right, where most are, also for half of what is written on them. */
const FIT = { padding: { top: "16px", right: "104px", bottom: "16px", left: "64px" }, maxZoom: 1.1 } as const;
/** No edge of calls leads back, or has words. */
const FIT_CALLS = { padding: "16px", maxZoom: 1.1 } as const;

type Box = Node<GraphNodeData, "box">;

type CanvasEdge = Edge<GraphEdgeData, "way">;

const NODE_TYPES: NodeTypes = { box: GraphNode };
const EDGE_TYPES: EdgeTypes = { way: GraphEdge };

type GraphCanvasProps = {
  readonly model: GraphModel;
  readonly states: ReadonlyMap<string, BoxState>;
  /** Whether it is what called what, which may go from the top down or to the right. */
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
  const direction = useMemo(() => (isOfCalls ? bestDirection(model, { width, height }) : "TB"), [model, isOfCalls, width, height]);
  const places = useMemo(() => placeBoxes(model, direction), [model, direction]);
  const nodes = useMemo(
    () => outerFirst(model.boxes).map((box) => toNode(box, places, { state: states.get(box.id), direction, selected, onSelect })),
    [model, places, states, direction, selected, onSelect],
  );
  const edges = useMemo(() => {
    const wayOf = isOfCalls ? () => undefined : findDetours(model, places);
    return model.links.map((link) => toEdge(link, wayOf(link)));
  }, [model, places, isOfCalls]);
  const fit = isOfCalls ? FIT_CALLS : FIT;
  const { fitView } = useReactFlow();
  // All of it is in view when the room changes, or where boxes are.
  useEffect(() => {
    if (width * height * places.size > 0) {
      void fitView(fit);
    }
  }, [fitView, fit, places, width, height]);
  return (
    <div ref={frame} className={classes.canvas} role="group" aria-label="Graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={fit}
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
        <Controls showInteractive={false} />
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

type Look = Pick<GraphNodeData, "state" | "direction" | "selected" | "onSelect">;

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

function toEdge(link: GraphLink, around: Detour | undefined): CanvasEdge {
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
    data: { words: words.join(" · "), wayAround: around?.distance },
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
