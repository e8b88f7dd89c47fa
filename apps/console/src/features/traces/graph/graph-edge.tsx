import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath, getSmoothStepPath } from "@xyflow/react";
import classes from "./graph-edge.module.css";

export type GraphEdgeData = {
  /** How often and how it was gone. */
  readonly words: string;
  /** Of an edge that leads back: how far to the side it goes around. */
  readonly wayAround: number | undefined;
};

/** An edge whose words lie above all edges: the library's own are struck through by those that are drawn later. */
export function GraphEdge({ data, markerEnd, style, ...ends }: EdgeProps<Edge<GraphEdgeData, "way">>) {
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
