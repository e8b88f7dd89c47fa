import { type TimeRange, findSpan } from "#ui/time/time-range.ts";

const HOUR = 3_600_000;
const DEFAULT_HOURS = 24;
/** Up to so many hours each of them is a point; beyond, each day is. */
const HOURS_AS_POINTS = 8 * 24;
/** What the API answers at once. */
const MAX_HOURS = 732 * 24;

export type AskedRange = { readonly from: string; readonly to: string; readonly step: "hour" | "day" };

/** The time before a range, as long as it. */
export function rangeBefore({ from, to, step }: AskedRange): AskedRange {
  return { from: new Date(2 * Date.parse(from) - Date.parse(to)).toISOString(), to: from, step };
}

/** The range in whole hours, as the API counts, so that the same question is asked for an hour; the last 24 hours unless told otherwise. */
export function askedRange({ span, from, to }: TimeRange, now: Date): AskedRange {
  const end = Math.ceil((to === undefined ? now.getTime() : Date.parse(to)) / HOUR) * HOUR;
  const hours = findSpan(span)?.hours ?? DEFAULT_HOURS;
  const wanted = from === undefined ? end - hours * HOUR : Math.floor(Date.parse(from) / HOUR) * HOUR;
  const start = Math.max(Math.min(wanted, end - HOUR), end - MAX_HOURS * HOUR);
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    step: end - start <= HOURS_AS_POINTS * HOUR ? "hour" : "day",
  };
}
