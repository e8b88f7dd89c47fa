import type { Step } from "@sightline/observability/contract";

/** A step of a trace that began with the epoch; times in milliseconds. */
export function step(
  id: string,
  {
    parent = null,
    start = 0,
    duration = 10,
    ...more
  }: { readonly parent?: string | null; readonly start?: number; readonly duration?: number | null } & Partial<Step> = {},
): Step {
  return {
    id,
    parent_id: parent,
    kind: "node",
    name: id,
    status: duration === null ? "running" : "success",
    started_at: new Date(start).toISOString(),
    ended_at: null,
    duration_ms: duration,
    seq: 1,
    model: null,
    prompt: null,
    input_tokens: null,
    output_tokens: null,
    cost: null,
    reported_cost: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    time_to_first_token_ms: null,
    error: null,
    code: null,
    graph_node: null,
    graph_step: null,
    run_id: "run",
    is_stalled: false,
    clock_skew_ms: null,
    ...more,
  };
}
