import type { Run } from "./find-run.store.ts";
import type { SkeletonRow } from "./steps.store.ts";
import { findGraphRuns, nodeNames } from "./graph-runs.ts";
import { isIntake, orderByStart, startOf } from "#trace-facts/order-by-start.ts";
import { seqOfRow, startOfRow } from "./present-step.ts";
import type { StepRow } from "./step.store.ts";

/** A step in its place. */
export type PlacedStep = {
  readonly row: SkeletonRow;
  readonly startedAt: Date;
  readonly graphNode: string | null;
  /** The step it was started by, when that is known. */
  readonly parent: SkeletonRow | undefined;
  readonly clockSkewMs: number | null;
};

/** All steps of a trace: parents before their children, siblings in the order of their start. */
export function orderSteps(run: Run, rows: readonly SkeletonRow[]): readonly PlacedStep[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const nodes = graphNodes(run, rows);
  const started = rows.map((row) => ({
    row,
    id: row.id,
    parentId: row.parent_id,
    producerId: row.producer,
    seq: row.seq,
    startedAt: startOf({ started: row.started, ended: row.ended, durationMs: row.duration_ms, seen: row.seen }),
  }));
  return orderByStart(started).map(({ row, startedAt }) => {
    const parent = row.parent_id === null ? undefined : byId.get(row.parent_id);
    const clockSkewMs = parent === undefined ? null : clockSkewOf(row, parent);
    return { row, startedAt, graphNode: nodes.get(row.id) ?? null, parent, clockSkewMs };
  });
}

/** Milliseconds: times are told in whole ones, and read one after the other. */
const EXACTNESS_MS = 2;

/** Nothing begins before what began it. What goes on after that has ended is no sign of a clock, unless there are two. */
function clockSkewOf(step: SkeletonRow, parent: SkeletonRow): number | null {
  const early = step.started === null || parent.started === null ? 0 : parent.started - step.started;
  if (early > EXACTNESS_MS) {
    return -early;
  }
  const late = step.ended === null || parent.ended === null ? 0 : step.ended - parent.ended;
  const isOneClock = step.producer === parent.producer && step.producer !== null && !isIntake(step.producer);
  return late > EXACTNESS_MS && !isOneClock ? late : null;
}

/** What the graph calls the nodes that steps ran as. */
function graphNodes({ segments }: Run, rows: readonly SkeletonRow[]): ReadonlyMap<string, string> {
  const ordered = rows.toSorted((left, right) => (left.started ?? left.seen) - (right.started ?? right.seen) || left.seq - right.seq);
  const observations = ordered.map(({ task, step, ...row }) => ({
    ...row,
    graph_step: task === null || step === null ? null : { task, step, triggers: [] },
    next: null,
  }));
  return nodeNames(findGraphRuns({ segments: segments.map(({ id }) => ({ id })), observations, entries: [] }));
}

/** Orders rows of steps like {@link orderSteps}, without their places. */
export function orderRows<Row extends StepRow>(rows: readonly Row[]): readonly Row[] {
  const started = rows.map((row) => ({
    row,
    id: row.id,
    parentId: row.parent_id,
    producerId: row.start_producer ?? row.end_producer,
    seq: seqOfRow(row),
    startedAt: startOfRow(row),
  }));
  return orderByStart(started).map(({ row }) => row);
}
