import { EMPTY_POINT, type Figures, type Metrics } from "@sightline/observability/contract";
import { formatShortTime } from "#ui/words/format.ts";

const STEP_MS = { hour: 3_600_000, day: 24 * 3_600_000 } as const;

export type Point = Figures & { readonly time: string };
export type Series = Pick<Metrics, "from" | "to" | "step"> & { readonly series: readonly Point[] };

/** A point for every step of the time, also for those in which nothing happened and which the API leaves out. */
export function wholeSeries({ from, to, step, series }: Series): readonly Point[] {
  const known = new Map(series.map((point) => [Date.parse(point.time), point]));
  const length = STEP_MS[step];
  const first = Math.floor(Date.parse(from) / length) * length;
  const count = Math.max(0, Math.ceil((Date.parse(to) - first) / length));
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * length;
    return known.get(at) ?? { ...EMPTY_POINT, time: new Date(at).toISOString() };
  });
}

/** The end of a step, which is the beginning of the next. */
export function endOfStep(time: string, step: Metrics["step"]): string {
  return new Date(Date.parse(time) + STEP_MS[step]).toISOString();
}

/** A step's time on an axis: hours are local, days are UTC's, as the API cuts them. */
export function stepLabel(time: string, step: Metrics["step"]): string {
  const at = new Date(time);
  return step === "day" ? at.toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" }) : formatShortTime(at);
}
