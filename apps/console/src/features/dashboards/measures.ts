import { type ChartMeasure, type Figures, chartMeasureSchema } from "@sightline/observability/contract";
import { formatCost, formatCount, formatDuration, formatShare } from "#ui/words/format.ts";

export type Measure = {
  readonly label: string;
  /** Null where there is nothing to tell it from. */
  readonly of: (figures: Figures) => number | null;
  readonly format: (value: number) => string;
  /** Whether those of groups are together that of all, so that bars can stand on each other. */
  readonly isSum?: true;
};

export const MEASURES: Readonly<Record<ChartMeasure, Measure>> = {
  traces: { label: "Traces", of: ({ traces }) => traces.count, format: formatCount, isSum: true },
  error_rate: {
    label: "Error rate",
    of: ({ traces }) => (traces.count === 0 ? null : traces.failures / traces.count),
    format: formatShare,
  },
  p50: { label: "Median duration", of: ({ traces }) => traces.p50_ms, format: formatDuration },
  p95: { label: "p95 duration", of: ({ traces }) => traces.p95_ms, format: formatDuration },
  p99: { label: "p99 duration", of: ({ traces }) => traces.p99_ms, format: formatDuration },
  cost: { label: "Cost", of: ({ cost }) => cost, format: formatCost, isSum: true },
  tokens: {
    label: "Tokens",
    of: ({ input_tokens: input, output_tokens: output }) => input + output,
    format: formatCount,
    isSum: true,
  },
  ttft_p50: { label: "Median time to first token", of: (figures) => figures.time_to_first_token.p50_ms, format: formatDuration },
  ttft_p95: { label: "p95 time to first token", of: (figures) => figures.time_to_first_token.p95_ms, format: formatDuration },
};

export const MEASURE_CHOICES = chartMeasureSchema.options.map((value) => ({ value, label: MEASURES[value].label }));

export const MAX_CHART_NAME = 100;

/** What a chart is called unless somebody names it: `Cost by user`. */
export function chartName(measure: ChartMeasure, by: string | null): string {
  return `${MEASURES[measure].label}${by === null ? "" : ` by ${by}`}`.slice(0, MAX_CHART_NAME);
}
