import type { ObservationStatus } from "#contract/parts.ts";
import { findFailures } from "./find-failures.ts";
import { orderByStart, startOf } from "./order-by-start.ts";
import { growTree } from "./step-tree.ts";

/** A run of a trace: from its start to its first pause, from there to the next, … Times are microseconds since 1970. */
export type Segment = {
  readonly id: string;
  readonly status: ObservationStatus;
  /** Null while its start has not arrived; `sorted_at` is then the time of its earliest event. */
  readonly started: number | null;
  readonly sorted_at: number;
  readonly ended: number | null;
  readonly error: string | null;
};

/** A failed step of a trace, or one right around a failed step. Times are milliseconds since 1970. */
export type FailedStep = {
  readonly id: string;
  readonly parent_id: string | null;
  readonly status: "running" | "success" | "failure" | "interrupted";
  readonly error: string | null;
  readonly started: number | null;
  readonly ended: number | null;
  readonly duration_ms: number | null;
  readonly seen: number;
  readonly producer: string | null;
  readonly seq: number;
};

export type TraceParts<Part extends Segment> = {
  /** In the order of their start; at least one. */
  readonly segments: readonly [Part, ...Part[]];
  /** How many steps failed; `failed_steps` are those that ended last, and the steps around them, in no order. */
  readonly failed: number;
  readonly failed_steps: readonly FailedStep[];
};

export type TraceFacts<Part extends Segment> = Pick<Segment, "status" | "error"> & {
  readonly last: Part;
  /** Between an interrupt and its resume, in milliseconds. */
  readonly waiting_ms: number;
  /** From its start to its end without what it waited; null when one of them has not arrived. */
  readonly duration_ms: number | null;
  /** Failures that arose in it: one that climbs is one, and one of the trace itself is one more. */
  readonly failures: number;
};

/** Decides what a trace is by its parts: it ended as the last of its segments did. */
export function foldTrace<Part extends Segment>({ segments, failed, failed_steps: steps }: TraceParts<Part>): TraceFacts<Part> {
  const [first] = segments;
  const last = segments.at(-1) ?? first;
  const waiting = segments.reduce((sum, { sorted_at: at }, index) => sum + Math.max(at - (segments[index - 1]?.ended ?? at), 0), 0);
  const duration = first.started === null || last.ended === null ? null : Math.max(last.ended - first.started - waiting, 0);
  const { status, error } = last;
  const { causes, isOwn } = findFailures(growFailedTree(steps), { status, error });
  // Of more failures than are looked at, as many of the others arose by themselves as of those that are.
  const looked = steps.filter((step) => step.status === "failure").length;
  const others = looked === 0 ? 0 : Math.round(((failed - looked) * causes.length) / looked);
  return {
    last,
    status,
    error,
    waiting_ms: waiting / 1000,
    duration_ms: duration === null ? null : duration / 1000,
    failures: causes.length + (isOwn ? 1 : 0) + others,
  };
}

/** The tree of failed steps and those right around them. */
export function growFailedTree<Step extends FailedStep>(steps: readonly Step[]) {
  const started = steps.map((step) => {
    const startedAt = startOf({ ...step, durationMs: step.duration_ms });
    return {
      ...step,
      parentId: step.parent_id,
      producerId: step.producer,
      startedAt,
      started_at: startedAt.toISOString(),
      ended_at: step.ended === null ? null : new Date(step.ended).toISOString(),
    };
  });
  return growTree(orderByStart(started));
}
