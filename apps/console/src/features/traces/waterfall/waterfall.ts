import { type Span, type StepNode, type StepTree, stepTimes, type TraceDigest } from "@sightline/observability/contract";

/** From the first to the last thing known of a trace, since the clocks of producers differ; to `now` while it runs. */
export function traceSpan(trace: Pick<TraceDigest, "status" | "started_at" | "ended_at">, { nodes }: StepTree, now: number): Span {
  let start = Date.parse(trace.started_at);
  let end = trace.ended_at === null ? start : Date.parse(trace.ended_at);
  for (const { step } of nodes) {
    const ran = stepTimes(step);
    start = Math.min(start, ran.start);
    end = Math.max(end, ran.end ?? ran.start);
  }
  return { start, end: Math.max(start, trace.status === "running" ? now : end) };
}

/** Where a time lies in what is shown, as fractions of its width; undefined for what is outside. */
export function placeOf({ start, end }: Span, shown: Span): { readonly left: number; readonly width: number } | undefined {
  if (end < shown.start || start > shown.end) {
    return undefined;
  }
  const length = Math.max(1, shown.end - shown.start);
  const left = clamp((start - shown.start) / length);
  return { left, width: clamp((end - shown.start) / length) - left };
}

/** From a step's start to its end, or as far as the trace has come. */
export function stepSpan({ step }: StepNode, whole: Span): Span {
  const { start, end } = stepTimes(step);
  return { start, end: Math.max(start, end ?? whole.end) };
}

const MIN_MS = 1;

/** What is shown after zooming by a factor (2: half as much) around a moment, never beyond the whole. */
export function zoom(shown: Span, whole: Span, { factor, around }: { readonly factor: number; readonly around: number }): Span {
  const length = shown.end - shown.start;
  const next = Math.min(whole.end - whole.start, Math.max(MIN_MS, length / factor));
  const share = length === 0 ? 0.5 : clamp((around - shown.start) / length);
  return within(whole, around - share * next, next);
}

/** A part of the whole, with some room on both sides. */
export function zoomTo({ start, end }: Span, whole: Span): Span {
  const length = Math.min(whole.end - whole.start, Math.max(MIN_MS, (end - start) * 1.2));
  return within(whole, (start + end - length) / 2, length);
}

/** The same length, moved by a share of itself. */
export function pan(shown: Span, whole: Span, share: number): Span {
  const length = shown.end - shown.start;
  return within(whole, shown.start + share * length, length);
}

export type Tick = {
  /** Fraction of the width. */
  readonly at: number;
  /** Milliseconds after the start of the whole. */
  readonly offset: number;
};

const STEPS = [1, 2, 5] as const;
const MINUTE = 60_000;
/** Where hundreds and thousands are not what people count in. */
const LONG_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE);
const DAY = 1440 * MINUTE;

/** Round moments within what is shown, at most so many, counted from the start of the whole. */
export function ticks(shown: Span, whole: Span, most: number): readonly Tick[] {
  const length = shown.end - shown.start;
  if (length <= 0 || most < 1) {
    return [];
  }
  const step = stepFor(length / most);
  const first = Math.ceil((shown.start - whole.start) / step);
  const last = Math.floor((shown.end - whole.start) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const offset = (first + index) * step;
    return { at: clamp((whole.start + offset - shown.start) / length), offset };
  });
}

/** The smallest round step of at least so many milliseconds. */
function stepFor(min: number): number {
  if (min > 30_000) {
    return LONG_STEPS.find((step) => step >= min) ?? Math.ceil(min / DAY) * DAY;
  }
  const power = 10 ** Math.floor(Math.log10(min));
  const step = STEPS.map((factor) => factor * power).find((candidate) => candidate >= min) ?? power * 10;
  return step > 10_000 ? 30_000 : step;
}

/** When nothing ran: from an interrupt to its resume. */
export function waitSpans(waits: TraceDigest["waits"]): readonly Span[] {
  return waits.map(({ from, to }) => ({ start: Date.parse(from), end: Date.parse(to) }));
}

/** When the trace's runs ran: all of its time, but for what is between an interrupt and its resume. */
export function runSpans(segments: TraceDigest["segments"], whole: Span): readonly Span[] {
  return segments.map(({ started_at: start, ended_at: end }) => ({
    start: Date.parse(start),
    end: end === null ? whole.end : Date.parse(end),
  }));
}

function within(whole: Span, start: number, length: number): Span {
  const from = Math.max(whole.start, Math.min(start, whole.end - length));
  return { start: from, end: from + length };
}

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
