import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import type { Producer } from "./agent-run.ts";

export type FailingRun = {
  readonly traceId?: string;
  /** When it started. */
  readonly at: Date;
  readonly node?: string;
  readonly tool?: string;
  /** Where the tool is defined. */
  readonly line?: number;
  readonly function?: string;
  readonly commit?: string;
  readonly user?: string;
  readonly release?: string;
  /** Of the tool; it does not fail without one. */
  readonly error?: string;
  /** Of the trace: the tool's when nothing is said, and null when the node caught that. */
  readonly traceError?: string | null;
  /** Of another tool, before it, whose failure a node caught. */
  readonly caughtBefore?: string;
};

/** The events of a trace with a graph, in it a node, and in that a tool that fails. */
export function failingRun(producer: Producer, run: FailingRun): readonly StreamEvent[] {
  const { traceId = uuidv7(), at, node = "lookup", tool = "find_order", error } = run;
  const traceError = run.traceError === undefined ? error : (run.traceError ?? undefined);
  const isCaught = error !== undefined && traceError?.includes(error) !== true;
  const iso = (ms: number) => new Date(at.getTime() + ms).toISOString();
  const [graphId, nodeId, toolId, calmId, caughtId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const start = (id: string, parent: string | null, kind: "graph" | "node" | "tool", name: string, ms: number, code = {}) =>
    producer.event("observation.start", {
      trace_id: traceId,
      observation_id: id,
      parent_id: parent,
      kind,
      name,
      started_at: iso(ms),
      ...code,
    });
  const end = (id: string, ms: number, failure: string | undefined) =>
    producer.event("observation.end", {
      trace_id: traceId,
      observation_id: id,
      ended_at: iso(ms),
      duration_ms: ms,
      status: failure === undefined ? "success" : "failure",
      ...(failure === undefined ? {} : { error: failure }),
    });
  const code = {
    file: "src/orders.py",
    line: run.line ?? 12,
    function: run.function ?? "find_order",
    ...(run.commit === undefined ? {} : { commit: run.commit }),
  };
  return [
    producer.event("trace.start", {
      trace_id: traceId,
      name: "support-agent",
      started_at: iso(0),
      ...(run.user === undefined ? {} : { user_id: run.user }),
      ...(run.release === undefined ? {} : { release: run.release }),
    }),
    start(graphId, null, "graph", "agent", 1),
    ...(run.caughtBefore === undefined
      ? []
      : [
          start(calmId, graphId, "node", "try", 1),
          start(caughtId, calmId, "tool", tool, 1, { code }),
          end(caughtId, 1, run.caughtBefore),
          end(calmId, 2, undefined),
        ]),
    start(nodeId, graphId, "node", node, 2),
    start(toolId, nodeId, "tool", tool, 3, { code }),
    end(toolId, 10, error),
    end(nodeId, 20, isCaught ? undefined : error),
    end(graphId, 30, traceError),
    producer.event("trace.end", {
      trace_id: traceId,
      ended_at: iso(40),
      status: traceError === undefined ? "success" : "failure",
      ...(traceError === undefined ? {} : { error: traceError }),
    }),
  ];
}
