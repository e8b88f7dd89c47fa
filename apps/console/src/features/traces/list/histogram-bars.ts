import type { TraceHistogram } from "@sightline/observability/contract";

type Bar = { /** Milliseconds since 1970. */ readonly at: number; readonly traces: number; readonly failures: number };

/** All bars from the first to the last, those in which nothing began too. */
export function toBars({ bar_ms: width, bars }: TraceHistogram): readonly Bar[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined || width <= 0) {
    return [];
  }
  const start = Date.parse(first.at);
  const known = new Map(bars.map((bar) => [Date.parse(bar.at), bar]));
  const count = Math.min(MAX_BARS, Math.round((Date.parse(last.at) - start) / width) + 1);
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * width;
    return { at, traces: known.get(at)?.traces ?? 0, failures: known.get(at)?.failures ?? 0 };
  });
}

const MAX_BARS = 100;

/** The time from the beginning of one bar to the end of another. */
export function rangeOfBars(data: TraceHistogram, from: number, to: number): { readonly from: string; readonly to: string } | undefined {
  const bars = toBars(data);
  const [first, last] = [bars[from], bars[to]];
  return first === undefined || last === undefined
    ? undefined
    : { from: new Date(first.at).toISOString(), to: new Date(last.at + data.bar_ms).toISOString() };
}
