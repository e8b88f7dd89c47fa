import type { Observation, Trace } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { barOf, traceRows, traceSpan } from "./trace-rows.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");

function observation(id: string, parent: string | null, offset = 0, duration: number | null = 10): Observation {
  return {
    id,
    parent_id: parent,
    kind: "node",
    name: id,
    status: duration === null ? "running" : "success",
    started_at: new Date(START + offset).toISOString(),
    ended_at: null,
    duration_ms: duration,
    seq: 1,
    model: null,
    input_tokens: null,
    output_tokens: null,
    cost: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    error: null,
    code: null,
    input: null,
    output: null,
    reasoning: null,
    attributes: {},
  };
}

function trace(observations: readonly Observation[], status: Trace["status"] = "success"): Trace {
  return {
    id: "trace",
    project_id: "project",
    truncated: false,
    name: "run",
    status,
    started_at: new Date(START).toISOString(),
    ended_at: status === "running" ? null : new Date(START + 100).toISOString(),
    duration_ms: status === "running" ? null : 100,
    waiting_ms: 0,
    observations: observations.length,
    failures: 0,
    lost_events: 0,
    thread_id: null,
    input_tokens: null,
    output_tokens: null,
    cost: null,
    input: null,
    output: null,
    error: null,
    attributes: {},
    segments: [],
    graph: null,
    observation_list: [...observations],
  };
}

function shown(whole: Trace, collapsed: readonly string[] = []): readonly string[] {
  return traceRows(whole, new Set(collapsed)).map(({ id, depth }) => `${"  ".repeat(depth)}${id}`);
}

describe("the rows of a trace", () => {
  it("begin with the trace and keep the order of siblings", () => {
    const whole = trace([observation("a", null), observation("b", "a"), observation("c", "a"), observation("d", null)]);
    expect(shown(whole)).toEqual(["trace", "  a", "    b", "    c", "  d"]);
  });

  it("leave out what lies under a collapsed row", () => {
    const whole = trace([observation("a", null), observation("b", "a"), observation("c", "b")]);
    expect(shown(whole, ["a"])).toEqual(["trace", "  a"]);
    expect(traceRows(whole, new Set(["a"]))[1]).toMatchObject({ expanded: false });
  });

  it("hang an observation whose parent was lost from the trace", () => {
    expect(shown(trace([observation("b", "lost")]))).toEqual(["trace", "  b"]);
  });

  it("come to an end when parents form a ring, which no run can produce", () => {
    expect(shown(trace([observation("a", "b"), observation("b", "a"), observation("c", null)]))).toEqual(["trace", "  c"]);
  });

  it("go deeper than the call stack", () => {
    const deep = Array.from({ length: 20_000 }, (_, index) => observation(`o${index}`, index === 0 ? null : `o${index - 1}`));
    expect(traceRows(trace(deep), new Set())).toHaveLength(20_001);
  });
});

describe("a bar of the waterfall", () => {
  it("lies where its observation lies in the trace", () => {
    const late = observation("a", null, 25, 50);
    expect(barOf(late, traceSpan(trace([late]), START))).toEqual({ left: 0.25, width: 0.5 });
  });

  it("stretches the whole when an observation ends after its trace", () => {
    const late = observation("a", null, 100, 100);
    expect(traceSpan(trace([late]), START)).toEqual({ start: START, end: START + 200 });
  });

  it("of a running observation reaches to now", () => {
    const running = observation("a", null, 50, null);
    expect(barOf(running, traceSpan(trace([running], "running"), START + 200))).toEqual({ left: 0.25, width: 0.75 });
  });

  it("never leaves the track, whatever the producer's clock said", () => {
    const early = observation("a", null, -500, 10);
    expect(barOf(early, { start: START, end: START + 100 })).toEqual({ left: 0, width: 0 });
    expect(traceSpan(trace([early]), START)).toEqual({ start: START - 500, end: START + 100 });
  });
});
