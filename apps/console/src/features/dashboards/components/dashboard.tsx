import { Alert, Paper, Skeleton } from "@mantine/core";
import type { Metrics } from "@sightline/observability/contract";
import { IconClockHour4 } from "@tabler/icons-react";
import { formatCost, formatCount, plural } from "#ui/words/format.ts";
import { endOfStep, stepLabel, wholeSeries } from "#features/dashboards/whole-series.ts";
import classes from "./dashboard.module.css";
import { KeyFigures, durationOf, percentOf } from "./key-figures.tsx";
import { SeriesCard } from "./series-card.tsx";

const FIGURES = 6;
const CHARTS = 4;

/** As high as what comes, so that nothing jumps when it does. */
export function DashboardSkeleton() {
  return (
    <div className={classes.dashboard} role="status" aria-label="Loading">
      <Paper className={`${classes.waiting} ${classes.figures}`}>
        {Array.from({ length: FIGURES }, (_, figure) => (
          <Skeleton key={figure} height={12} width="55%" radius="xl" />
        ))}
      </Paper>
      <div className={classes.charts}>
        {Array.from({ length: CHARTS }, (_, chart) => (
          <Paper key={chart} className={`${classes.waiting} ${classes.chart}`}>
            <Skeleton height={12} width="24%" radius="xl" />
            <Skeleton height={12} width="40%" radius="xl" />
          </Paper>
        ))}
      </div>
    </div>
  );
}

type DashboardProps = {
  readonly metrics: Metrics;
  /** A step was chosen, of which the traces should be shown. */
  readonly onStep: (range: { readonly from: string; readonly to: string }) => void;
};

/** The figures of a time: their sums, and how they went. */
export function Dashboard({ metrics, onStep }: DashboardProps) {
  const { total, step, pending_hours: pending } = metrics;
  const rows = wholeSeries(metrics).map((point) => ({
    time: point.time,
    label: stepLabel(point.time, step),
    ended: point.traces.count - point.traces.failures,
    failed: point.traces.failures,
    p50: point.traces.p50_ms,
    p95: point.traces.p95_ms,
    p99: point.traces.p99_ms,
    input: point.input_tokens,
    output: point.output_tokens,
    cost: point.cost,
  }));
  const common = { rows, onStep: (time: string) => onStep({ from: time, to: endOfStep(time, step) }) };
  const { traces, unpriced_calls: unpriced } = total;
  return (
    <div className={classes.dashboard}>
      {pending > 0 && (
        <Alert icon={<IconClockHour4 />} role="status" py="xs">
          {plural(pending, "hour is", "hours are")} still being counted; what happened last is not in these figures yet.
        </Alert>
      )}
      <KeyFigures total={total} />
      <div className={classes.charts}>
        <SeriesCard
          {...common}
          title="Traces"
          summary={`${plural(traces.count, "trace", "traces")}, ${formatCount(traces.failures)} failed (${percentOf(traces.failures, traces.count)})`}
          kind="bars"
          series={[
            { name: "ended", label: "Not failed", color: "var(--sl-kind-node)" },
            { name: "failed", label: "Failed", color: "var(--sl-bad)" },
          ]}
          format={formatCount}
        />
        <SeriesCard
          {...common}
          title="Duration of traces"
          summary={`p50 ${durationOf(traces.p50_ms)}, p95 ${durationOf(traces.p95_ms)}, p99 ${durationOf(traces.p99_ms)}`}
          note="Of traces that have ended; at most a tenth beside the truth."
          kind="lines"
          series={[
            { name: "p50", label: "p50", color: "var(--sl-kind-tool)" },
            { name: "p95", label: "p95", color: "var(--sl-kind-node)" },
            // Of few traces it is the same as p95, which shows through.
            { name: "p99", label: "p99", color: "var(--sl-warn)", strokeDasharray: "4 4" },
          ]}
          format={durationOf}
        />
        <SeriesCard
          {...common}
          title="Tokens"
          summary={`${formatCount(total.input_tokens)} in, ${formatCount(total.output_tokens)} out, of ${plural(total.calls, "model call", "model calls")}`}
          kind="bars"
          series={[
            { name: "input", label: "In", color: "var(--sl-kind-node)" },
            { name: "output", label: "Out", color: "var(--sl-kind-llm)" },
          ]}
          format={formatCount}
        />
        <SeriesCard
          {...common}
          title="Cost"
          summary={total.cost === null ? "No call had a price" : `${formatCost(total.cost)} in US dollars`}
          note={
            unpriced === 0
              ? undefined
              : `${plural(unpriced, "call is", "calls are")} not in it: their models have no price in this project.`
          }
          kind="bars"
          series={[{ name: "cost", label: "Cost", color: "var(--sl-ok)" }]}
          format={formatCost}
        />
      </div>
    </div>
  );
}
