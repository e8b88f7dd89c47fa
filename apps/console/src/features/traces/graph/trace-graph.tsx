import { Group, SegmentedControl } from "@mantine/core";
import type { Step, TraceDigest } from "@sightline/observability/contract";
import { useMemo, useState } from "react";
import { aggregatedGraph, callGraph, expandedGraph, type GraphModel, graphThatRan, boxState } from "./graph-model.ts";
import type { TraceViewProps } from "#features/traces/model/trace-view.ts";
import { formatCount } from "#ui/words/format.ts";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphPlayback } from "./graph-playback.tsx";
import { GraphTable } from "./graph-table.tsx";
import classes from "./trace-graph.module.css";

type Mode = "nodes" | "runs";

/** Where the graph of a trace could go and where it went, with how each node stood at any moment. */
export function TraceGraph({ trace, steps, complete, selected, onSelect }: TraceViewProps) {
  const [mode, setMode] = useState<Mode>("nodes");
  const [moment, setMoment] = useState<{ readonly mode: Mode; readonly at: number }>();
  const graph = useMemo(() => graphThatRan(trace.graph, steps), [trace, steps]);
  const model = useMemo(() => modelOf({ ...trace, graph }, steps, mode), [trace, graph, steps, mode]);
  // The moments of the one way to look are not those of the other.
  const at = moment?.mode === mode ? Math.min(moment.at, model.runs.length) : model.runs.length;
  const states = useMemo(() => new Map(model.boxes.map((box) => [box.id, boxState(box, model, at)])), [model, at]);

  function show(next: number): void {
    setMoment(next >= model.runs.length ? undefined : { mode, at: next });
    const run = model.runs[next - 1];
    if (run !== undefined) {
      onSelect(run.id);
    }
  }

  return (
    <div className={classes.page}>
      <Group gap="sm" className={classes.bar}>
        {graph === null ? (
          <span className={classes.note}>This trace has no graph. Showing the call tree.</span>
        ) : (
          <SegmentedControl
            size="xs"
            aria-label="What a box is"
            value={mode}
            onChange={(next) => setMode(next === "runs" ? "runs" : "nodes")}
            data={[
              { value: "nodes", label: "Nodes" },
              { value: "runs", label: "Every run" },
            ]}
          />
        )}
        <GraphPlayback runs={model.runs} moment={at} onMoment={show} />
      </Group>
      <Cut model={model} complete={complete} isCut={graph?.truncated === true} />
      <GraphCanvas
        key={graph === null ? "calls" : mode}
        model={model}
        states={states}
        isOfCalls={graph === null}
        selected={selected}
        onSelect={onSelect}
      />
      <GraphTable model={model} states={states} onSelect={onSelect} />
    </div>
  );
}

function modelOf(trace: TraceDigest, steps: readonly Step[], mode: Mode): GraphModel {
  if (trace.graph === null) {
    return callGraph(trace, steps);
  }
  return mode === "nodes" ? aggregatedGraph(trace.graph, steps) : expandedGraph(trace.graph, steps);
}

function Cut({ model, complete, isCut }: { readonly model: GraphModel; readonly complete: boolean; readonly isCut: boolean }) {
  const notes = [
    model.total > model.boxes.length && `The first ${formatCount(model.boxes.length)} of ${formatCount(model.total)} boxes are shown.`,
    !complete && "More steps are on their way.",
    isCut && "The graph is larger than an answer holds; not all of it is here.",
  ].filter((note) => note !== false);
  return notes.length === 0 ? null : (
    <p className={classes.note} role="status">
      {notes.join(" ")}
    </p>
  );
}
