import type { Observation, Trace } from "@sightline/observability/contract";

export type TraceRow = {
  readonly id: string;
  readonly depth: number;
  readonly expanded: boolean | undefined;
  /** Undefined for the first row, the trace itself. */
  readonly observation: Observation | undefined;
};

/** The trace and below it its observations, without what lies under the collapsed ones. An observation whose parent never arrived hangs from the trace. */
export function traceRows(trace: Trace, collapsed: ReadonlySet<string>): readonly TraceRow[] {
  const known = new Set(trace.observation_list.map(({ id }) => id));
  const children = Map.groupBy(trace.observation_list, ({ parent_id: parent }) =>
    parent !== null && known.has(parent) ? parent : trace.id,
  );
  const rows: TraceRow[] = [];
  // A stack instead of recursion: agents can nest deeper than the call stack.
  const waiting: { readonly id: string; readonly depth: number; readonly observation: Observation | undefined }[] = [
    { id: trace.id, depth: 0, observation: undefined },
  ];
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, depth, observation } = next;
    if (seen.has(id)) {
      continue;
    }
    seen.add(id);
    const below = children.get(id);
    const expanded = below === undefined ? undefined : !collapsed.has(id);
    rows.push({ id, depth, expanded, observation });
    if (expanded === true && below !== undefined) {
      waiting.push(...below.map((child) => ({ id: child.id, depth: depth + 1, observation: child })).toReversed());
    }
  }
  return rows;
}

export type Span = {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
};

/** From the first to the last thing known of a trace, since the clocks of producers differ; to `now` while it runs. */
export function traceSpan(trace: Trace, now: number): Span {
  const start = trace.observation_list.reduce(
    (earliest, { started_at: started }) => Math.min(earliest, Date.parse(started)),
    Date.parse(trace.started_at),
  );
  if (trace.status === "running") {
    return { start, end: Math.max(start, now) };
  }
  const ends = trace.observation_list.map((observation) => endOf(observation, start));
  const end = trace.ended_at === null ? start : Date.parse(trace.ended_at);
  return { start, end: ends.reduce((latest, candidate) => Math.max(latest, candidate), Math.max(start, end)) };
}

/** Where an observation's bar lies in the trace, as fractions of its width. */
export function barOf(observation: Observation, span: Span): { readonly left: number; readonly width: number } {
  const length = Math.max(1, span.end - span.start);
  const start = clamp((Date.parse(observation.started_at) - span.start) / length);
  const end = clamp((endOf(observation, span.end) - span.start) / length);
  return { left: start, width: Math.max(0, end - start) };
}

function endOf({ started_at: started, ended_at: ended, duration_ms: duration }: Observation, otherwise: number): number {
  if (duration !== null) {
    return Date.parse(started) + duration;
  }
  return ended === null ? otherwise : Date.parse(ended);
}

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
