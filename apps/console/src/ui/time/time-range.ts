import { formatShortTime } from "#ui/words/format.ts";

/** A span that ends now, or two instants; in the address as `span`, or `from` and `to` (UTC). None of them is all of the time. */
export type TimeRange = { readonly span?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined };

export type Span = { readonly value: string; readonly label: string; readonly hours: number };

export const SPANS: readonly Span[] = [
  { value: "1h", label: "Last hour", hours: 1 },
  { value: "24h", label: "Last 24 hours", hours: 24 },
  { value: "7d", label: "Last 7 days", hours: 7 * 24 },
  { value: "30d", label: "Last 30 days", hours: 30 * 24 },
  { value: "90d", label: "Last 90 days", hours: 90 * 24 },
];

/** Reads the address; what makes no sense in it is left out, and two instants go before a span. */
export function readTimeRange({ span, from, to }: TimeRange): TimeRange {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if ((start !== undefined || end !== undefined) && !(start !== undefined && end !== undefined && start >= end)) {
    return { from: start, to: end };
  }
  return findSpan(span) === undefined ? {} : { span };
}

export function findSpan(value: string | undefined): Span | undefined {
  return SPANS.find((span) => span.value === value);
}

export function isAllTime({ span, from, to }: TimeRange): boolean {
  return from === undefined && to === undefined && findSpan(span) === undefined;
}

/** The range in words: `Last 7 days`, `Nov 21, 10:00 – Nov 22, 10:00`. */
export function rangeInWords({ span, from, to }: TimeRange): string {
  if (from === undefined && to === undefined) {
    return findSpan(span)?.label ?? "All time";
  }
  if (from === undefined || to === undefined) {
    return from === undefined ? `Until ${shortTime(to)}` : `Since ${shortTime(from)}`;
  }
  return `${shortTime(from)} – ${shortTime(to)}`;
}

/** The value of a `datetime-local` field, in the reader's time zone. */
export function toLocalField(instant: string | undefined): string {
  if (instant === undefined) {
    return "";
  }
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant that such a field holds; it may be half filled in. */
export function fromLocalField(value: string): string | undefined {
  return value === "" ? undefined : parseInstant(value);
}

function shortTime(instant: string | undefined): string {
  return instant === undefined ? "" : formatShortTime(new Date(instant));
}

/** UTC of what names a moment; undefined for what doesn't. */
export function parseInstant(text: string | undefined): string | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
