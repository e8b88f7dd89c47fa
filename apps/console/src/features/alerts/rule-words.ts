import { SCORE_ALERT_DEFAULTS, isOfScore, isToldOnly, type AlertMetric, type AlertRule } from "@sightline/observability/contract";
import { formatCost, formatCount, formatDuration, formatShare, plural } from "#ui/words/format.ts";

type Words = {
  readonly label: string;
  /** What people type the threshold in. */
  readonly unit: string;
  /** What the threshold of the API is in that unit. */
  readonly factor: number;
  readonly write: (value: number) => string;
  readonly narrowedBy: readonly ("trace" | "model" | "node" | "query")[];
};

export const METRICS: Readonly<Record<AlertMetric, Words>> = {
  errors: { label: "errors", unit: "", factor: 1, write: formatCount, narrowedBy: ["trace", "model", "node"] },
  error_rate: {
    label: "error rate",
    unit: "%",
    factor: 0.01,
    write: formatShare,
    narrowedBy: ["trace", "model", "node"],
  },
  latency_p95: {
    label: "95th percentile of durations",
    unit: "s",
    factor: 1000,
    write: formatDuration,
    narrowedBy: ["trace", "model", "node"],
  },
  cost: { label: "cost", unit: "$", factor: 1, write: formatCost, narrowedBy: ["trace", "model"] },
  cost_per_user: { label: "cost of one user", unit: "$", factor: 1, write: formatCost, narrowedBy: ["trace", "model"] },
  tokens: { label: "tokens", unit: "", factor: 1, write: formatCount, narrowedBy: ["trace", "model"] },
  gaps: { label: "missing events", unit: "", factor: 1, write: formatCount, narrowedBy: [] },
  no_traces: { label: "number of traces started", unit: "", factor: 1, write: formatCount, narrowedBy: ["trace"] },
  matching: { label: "traces", unit: "", factor: 1, write: formatCount, narrowedBy: ["query"] },
  issues: { label: "new and reopened issues", unit: "", factor: 1, write: formatCount, narrowedBy: [] },
  experiments: { label: "finished experiments", unit: "", factor: 1, write: formatCount, narrowedBy: [] },
  score_below: { label: "mean of a score, too low", unit: "", factor: 1, write: digits, narrowedBy: [] },
  score_above: { label: "mean of a score, too high", unit: "", factor: 1, write: digits, narrowedBy: [] },
  score_worse: { label: "mean of a score, worse than before", unit: "", factor: 1, write: digits, narrowedBy: [] },
};

function digits(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

export const METRIC_CHOICES = (Object.keys(METRICS) as AlertMetric[]).map((value) => ({ value, label: METRICS[value].label }));

export const WINDOWS = [5, 15, 30, 60, 180, 360, 720, 1440];

export function windowInWords(minutes: number): string {
  if (minutes === 60) {
    return "hour";
  }
  if (minutes > 1_440 && minutes % 1_440 === 0) {
    return plural(minutes / 1_440, "day", "days");
  }
  return minutes % 60 === 0 ? plural(minutes / 60, "hour", "hours") : plural(minutes, "minute", "minutes");
}

/** `is above`, `are above`, `is at or below`. */
export function comparison(metric: AlertMetric): string {
  if (metric === "no_traces") {
    return "is at or below";
  }
  if (metric === "score_below") {
    return "is below";
  }
  if (metric === "score_worse") {
    return "is worse by more than";
  }
  return ["errors", "tokens", "gaps", "matching"].includes(metric) ? "are above" : "is above";
}

/** `the errors of model “m-1” are above 10 in the last 15 minutes` */
export function ruleInWords({
  metric,
  threshold,
  window_minutes: minutes,
  filter,
}: Pick<AlertRule, "metric" | "threshold" | "window_minutes" | "filter">): string {
  const { label, write } = METRICS[metric];
  if (isToldOnly(metric)) {
    return metric === "issues" ? "an issue is new or reopened" : "an experiment finishes";
  }
  if (metric === "matching") {
    return `the traces that match “${filter.query ?? ""}” are above ${write(threshold)} in the last ${windowInWords(minutes)}`;
  }
  if (isOfScore(metric)) {
    const before = windowInWords(filter.baseline_minutes ?? SCORE_ALERT_DEFAULTS.baseline_minutes);
    const than = metric === "score_worse" ? ` than in the ${before} before` : "";
    const of = `“${filter.score ?? ""}”${filter.trace === undefined ? "" : ` of trace “${filter.trace}”`}`;
    return `the mean of ${of} ${comparison(metric)} ${write(threshold)} in the last ${windowInWords(minutes)}${than}`;
  }
  if (metric === "no_traces" && threshold === 0) {
    return `no trace${filter.trace === undefined ? "" : ` “${filter.trace}”`} has started in the last ${windowInWords(minutes)}`;
  }
  const narrowed = Object.entries(filter).map(([what, which]) => ` of ${what} “${which}”`);
  return `the ${label}${narrowed.join("")} ${comparison(metric)} ${write(threshold)} in the last ${windowInWords(minutes)}`;
}
