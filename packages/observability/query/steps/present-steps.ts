import type { Step } from "#contract.ts";
import type { StepDetail } from "./steps.store.ts";
import type { PlacedStep } from "./order-steps.ts";
import { UNKNOWN_NAME } from "./present-trace.ts";
import type { UsualDurations } from "./usual-durations.ts";

/** Milliseconds: what takes no longer is never stalled. */
const STALLED_MIN_MS = 1_000;

export function presentStep(
  placed: PlacedStep,
  detail: StepDetail,
  { usual, now }: { readonly usual: UsualDurations; readonly now: number },
): Step {
  const { row, startedAt, graphNode, clockSkewMs } = placed;
  const named = namedKindOf(detail);
  const status = row.end_status ?? (detail.is_abandoned ? "abandoned" : "running");
  return {
    id: row.id,
    parent_id: row.parent_id,
    ...named,
    status,
    started_at: startedAt.toISOString(),
    ended_at: row.ended === null ? null : new Date(row.ended).toISOString(),
    duration_ms: row.duration_ms,
    seq: row.seq,
    model: detail.model,
    input_tokens: detail.input_tokens,
    output_tokens: detail.output_tokens,
    cost: detail.cost,
    cache_read_tokens: detail.cache_read_tokens,
    cache_write_tokens: detail.cache_write_tokens,
    reasoning_tokens: detail.reasoning_tokens,
    error: detail.error,
    code: detail.code,
    graph_node: graphNode,
    graph_step: graphNode === null ? null : row.step,
    run_id: row.trace_id,
    is_stalled: status === "running" && runsLong(placed, now) && now - startedAt.getTime() > (usual(named) ?? Infinity),
    clock_skew_ms: clockSkewMs,
  };
}

export function namedKindOf({ kind, name }: Pick<StepDetail, "kind" | "name">) {
  return { kind: kind ?? "span", name: name ?? UNKNOWN_NAME } as const;
}

/** Whether it may be stalled. */
export function runsLong({ row, startedAt }: PlacedStep, now: number): boolean {
  return row.end_status === null && now - startedAt.getTime() > STALLED_MIN_MS;
}
