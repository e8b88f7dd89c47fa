import { Button } from "@mantine/core";
import type { Step } from "@sightline/observability/contract";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useMemo } from "react";
import { MAX_WHOLE, useLoadWhole } from "#features/traces/api/payloads.ts";
import { observationQuery } from "#features/traces/api/trace.ts";
import { isTruncated } from "#features/traces/json/json-rows.ts";
import { listNodeRuns, runAfter, runAt, runsBeside } from "./node-runs.ts";
import { readUpdate } from "./state-diff.ts";
import type { TraceViewProps } from "#features/traces/model/trace-view.ts";
import { useChange } from "#http/use-change.ts";
import { formatCount } from "#ui/words/format.ts";
import { EmptyPanel, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { GraphPlayback } from "#features/traces/graph/graph-playback.tsx";
import { JsonView } from "#features/traces/json/json-view.tsx";
import { StateDiff } from "./state-diff-rows.tsx";
import classes from "./trace-state.module.css";

/** The state of a graph before and after each run of its nodes. */
export function TraceState({ projectId, trace, steps, selected, onSelect }: TraceViewProps) {
  const runs = useMemo(() => listNodeRuns(steps), [steps]);
  const at = useMemo(() => runAt(runs, steps, selected), [runs, steps, selected]);
  const run = runs[at];
  if (run === undefined) {
    return (
      <EmptyPanel
        icon={<IconArrowsDiff />}
        title="No state here"
        description="No node of a graph ran in this trace. The state is what LangGraph hands from node to node."
      />
    );
  }
  return (
    <div className={classes.page}>
      <GraphPlayback
        runs={runs}
        moment={at + 1}
        onMoment={(moment) => {
          const next = runs[Math.max(moment - 1, 0)];
          if (next !== undefined) {
            onSelect(next.id);
          }
        }}
      />
      <RunState key={run.id} projectId={projectId} trace={trace} steps={steps} runs={runs} run={run} onSelect={onSelect} />
    </div>
  );
}

function RunState({
  projectId,
  trace,
  steps,
  runs,
  run,
  onSelect,
}: Pick<TraceViewProps, "projectId" | "trace" | "steps" | "onSelect"> & { readonly runs: readonly Step[]; readonly run: Step }) {
  const observation = (id: string) => observationQuery(projectId, trace.id, id);
  const own = useQuery(observation(run.id));
  const next = runAfter(run, runs);
  const graph = next === undefined && run.parent_id !== null ? steps.find(({ id }) => id === run.parent_id) : undefined;
  const following = useQuery({ ...observation(next?.id ?? graph?.id ?? run.id), enabled: (next ?? graph) !== undefined });
  if (own.error !== null || own.data === undefined || following.isLoading) {
    return <Unanswered query={own} failed="The step could not be loaded" loading={<LoadingRows rows={6} height={28} />} />;
  }
  // A node may also run inside of one, as a graph that was not recorded as a step of its own.
  const atEnd = run.parent_id === null ? trace.output : graph?.kind === "graph" ? following.data?.output : undefined;
  // The next node was given it, or the graph gave it back at its end; undefined while nobody knows.
  const after = run.status === "success" ? ((next === undefined ? atEnd : following.data?.input) ?? undefined) : undefined;
  const beside = runsBeside(run, runs);
  const update = readUpdate(own.data.output);
  return (
    <>
      <p className={classes.note}>
        {afterText(next, after, run)}
        {beside.length > 0 && after !== undefined && (
          <>
            {" "}
            {beside.map(({ graph_node: node, name }) => node ?? name).join(", ")} ran in the same step; what is not this node's is marked.
          </>
        )}
      </p>
      {after === undefined ? (
        <Returned output={own.data.output} input={own.data.input} />
      ) : (
        <Loaded
          projectId={projectId}
          traceId={trace.id}
          before={own.data.input}
          after={after}
          written={beside.length === 0 || update === undefined ? undefined : new Set(Object.keys(update))}
        />
      )}
      {next !== undefined && (
        <Button size="compact-sm" variant="subtle" className={classes.next} onClick={() => onSelect(next.id)}>
          Go on to {next.graph_node ?? next.name}
        </Button>
      )}
    </>
  );
}

type Values = { readonly input: unknown; readonly output: unknown };

function afterText(next: Step | undefined, after: unknown, run: Step): string {
  if (after === undefined) {
    return run.status === "success"
      ? "What came after is not recorded; this is what the node was given and what it returned."
      : "It did not end well, or has not ended: there is no state after it.";
  }
  return next === undefined
    ? "From the node's input to the graph's final output."
    : `From this node's input to the input of ${next.graph_node ?? next.name}, which ran next.`;
}

function Returned({ input, output }: Values) {
  return (
    <>
      <h3 className={classes.title}>Given</h3>
      <JsonView value={input ?? null} label="State before" height={320} fileName="before.json" compact />
      <h3 className={classes.title}>Returned</h3>
      <JsonView value={output ?? null} label="What the node returned" height={320} fileName="returned.json" compact />
    </>
  );
}

type LoadedProps = ComponentProps<typeof StateDiff> & { readonly projectId: string; readonly traceId: string };

/** Compares the states; those that are too long for an answer only once they are asked for. */
function Loaded({ projectId, traceId, before, after, written }: LoadedProps) {
  const loadWhole = useLoadWhole({ projectId, traceId });
  const whole = (value: unknown) =>
    isTruncated(value) ? loadWhole(value, new AbortController().signal, () => undefined) : Promise.resolve(value);
  const load = useChange({ send: () => Promise.all([whole(before), whole(after)]) });
  const characters = [before, after].reduce<number>((sum, value) => sum + (isTruncated(value) ? value.characters : 0), 0);
  if (load.data !== undefined || characters === 0) {
    const [loadedBefore, loadedAfter] = load.data ?? [before, after];
    return <StateDiff before={loadedBefore} after={loadedAfter} written={written} />;
  }
  return characters > MAX_WHOLE ? (
    <p className={classes.note}>
      The states have {formatCount(characters)} characters: too many to compare here. The JSON of both steps can be downloaded.
    </p>
  ) : (
    <div>
      <p className={classes.note}>The states are long: {formatCount(characters)} characters.</p>
      <Button size="compact-sm" variant="default" loading={load.isPending} onClick={() => load.mutate()}>
        {load.isError ? "Try again" : "Load and compare"}
      </Button>
    </div>
  );
}
