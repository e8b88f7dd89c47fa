import type { Step } from "#contract/trace.ts";

/** Milliseconds since the epoch. */
export type Span = { readonly start: number; readonly end: number };

export type TimedStep = Pick<Step, "started_at" | "ended_at" | "duration_ms">;

/** When a step ran, in milliseconds since the epoch; `end` is undefined while it runs, and of what was abandoned. */
export function stepTimes({ started_at: started, ended_at: ended, duration_ms: duration }: TimedStep): {
  readonly start: number;
  readonly end: number | undefined;
} {
  const start = Date.parse(started);
  if (duration !== null) {
    return { start, end: start + duration };
  }
  // Clocks of producers differ, but no step is over before it began.
  return { start, end: ended === null ? undefined : Math.max(start, Date.parse(ended)) };
}
