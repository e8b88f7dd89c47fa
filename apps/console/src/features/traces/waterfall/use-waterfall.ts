import { criticalPath, findFailures, growTree, type Span, type Step, type TraceDigest } from "@sightline/observability/contract";
import { useEffect, useMemo, useState } from "react";
import { causePlaces } from "./causes.ts";
import { type StepFilter, findSteps } from "./find-steps.ts";
import { mergedRoot } from "./merged-root.ts";
import { revealed, stepRows } from "./step-rows.ts";
import { traceSpan } from "./waterfall.ts";

const TICK_MS = 500;

export type Waterfall = ReturnType<typeof useWaterfall>;

/** What the tree and the time axis of a trace show. */
export function useWaterfall(
  trace: TraceDigest,
  { steps, filter, selected }: { readonly steps: readonly Step[]; readonly filter: StepFilter; readonly selected: string },
) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [part, setPart] = useState<Span>();
  const now = useTicking(trace.status === "running");
  const tree = useMemo(() => growTree(steps), [steps]);
  const whole = useMemo(() => traceSpan(trace, tree, now), [trace, tree, now]);
  // The path of what still runs does not change with every tick.
  const settled = useMemo(() => traceSpan(trace, tree, Date.now()), [trace, tree]);
  const path = useMemo(() => criticalPath(tree, settled), [tree, settled]);
  const { text, kind, only } = filter;
  const { status, error } = trace;
  const failures = useMemo(() => findFailures(tree, { status, error }), [tree, status, error]);
  const causes = useMemo(() => causePlaces(tree, failures), [tree, failures]);
  const found = useMemo(() => findSteps(tree, { text, kind, only }, { path, causes }), [tree, text, kind, only, path, causes]);
  const rootId = useMemo(() => mergedRoot({ name: trace.name }, tree)?.id, [trace.name, tree]);
  const rows = useMemo(() => stepRows(tree, { traceId: trace.id, rootId, collapsed, found }), [tree, trace.id, rootId, collapsed, found]);

  useEffect(() => {
    // What is chosen by the address, or by a jump, is to be seen.
    setCollapsed((before) => revealed(before, tree, { traceId: trace.id, id: selected }));
    // oxlint-disable-next-line react/exhaustive-deps -- not every new step opens what somebody collapsed
  }, [selected]);

  return {
    tree,
    rows,
    path,
    /** The step that the trace's own row stands for too. */
    rootId,
    /** The places in which failures arose; -1 is the trace itself. */
    causes,
    caughtBy: failures.caughtBy,
    /** How many steps the filter found; undefined without one. */
    found: found?.size,
    whole,
    /** The part of the whole time that is shown; set to undefined for all of it. */
    shown: part ?? whole,
    setShown: setPart,
    collapsed,
    setCollapsed,
  };
}

function useTicking(enabled: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!enabled) {
      return undefined;
    }
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [enabled]);
  return now;
}
