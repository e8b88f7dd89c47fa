import { Alert, Paper, Skeleton } from "@mantine/core";
import { type Figures, type Metrics, NUMBERS, type Spread } from "@sightline/observability/contract";
import { IconClockHour4 } from "@tabler/icons-react";
import { IncompleteFigures } from "#ui/kit/incomplete-figures.tsx";
import { formatCost, formatCount, plural } from "#ui/words/format.ts";
import { type Point, type Series, endOfStep, stepLabel, wholeSeries } from "#features/dashboards/whole-series.ts";
import classes from "./dashboard.module.css";
import { KeyFigures, type Total, formatKnownDuration, formatPercent } from "./key-figures.tsx";
import { SeriesCard } from "./series-card.tsx";

const FIGURES = 6;
const CHARTS = 4;

/** The skeleton is as high as the dashboard, so that nothing jumps when it comes. */
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
  /** The figures: counted by the hour, or read from the traces that a filter finds. */
  readonly metrics: Series & {
    readonly total: Total;
    readonly pending_hours?: number;
    readonly uncounted_hours?: number;
    readonly uncounted_since?: string | null;
  };
  /** Sums of the time before, as long as this one. */
  readonly before: Total | undefined;
  readonly isFiltered: boolean;
  /** A step was chosen, of which the traces should be shown. */
  readonly onStep: (range: { readonly from: string; readonly to: string }) => void;
};

/** The figures of a time: their sums, and how they went. */
export function Dashboard({ metrics, before, isFiltered, onStep }: DashboardProps) {
  const { total, step, pending_hours: waiting = 0, uncounted_hours: uncounted = 0, uncounted_since: uncountedSince = null } = metrics;
  const pending = waiting - uncounted;
  const points = wholeSeries(metrics);
  const rows = points.map((point) => ({
    time: point.time,
    label: stepLabel(point.time, step),
    ended: point.traces.count - point.traces.failures,
    failed: point.traces.failures,
    input: point.input_tokens,
    output: point.output_tokens,
    cost: point.cost,
  }));
  const choose = (time: string) => onStep({ from: time, to: endOfStep(time, step) });
  const common = { rows, onStep: choose };
  const times = { total, step, points, onStep: choose };
  const { traces, calls, unpriced_calls: unpriced = 0 } = total;
  return (
    <div className={classes.dashboard}>
      {uncountedSince !== null && <IncompleteFigures what={plural(uncounted, "hour", "hours")} since={uncountedSince} />}
      {pending > 0 && (
        <Alert icon={<IconClockHour4 />} role="status" py="xs">
          {plural(pending, "hour is", "hours are")} still being counted; what happened last is not in these figures yet.
        </Alert>
      )}
      <KeyFigures total={total} before={before} />
      <div className={classes.charts}>
        <SeriesCard
          {...common}
          title="Traces"
          summary={`${plural(traces.count, "trace", "traces")}, ${formatCount(traces.failures)} failed (${formatPercent(traces.failures, traces.count)})`}
          kind="bars"
          series={[
            { name: "ended", label: "Not failed", color: "var(--sl-kind-node)" },
            { name: "failed", label: "Failed", color: "var(--sl-bad)" },
          ]}
          format={formatCount}
        />
        <TimesCard
          {...times}
          title="Duration of traces"
          note={isFiltered ? "Completed traces only." : "Completed traces only; percentiles within 1%."}
          timesOf={(point) => point.traces}
        />
        {total.time_to_first_token.p50_ms !== null && (
          <TimesCard
            {...times}
            title={NUMBERS.time_to_first_token_ms.label}
            note={isFiltered ? "The slowest streamed model call of each trace." : "Streamed model calls only; percentiles within 1%."}
            timesOf={(point) => point.time_to_first_token}
          />
        )}
        <SeriesCard
          {...common}
          title="Tokens"
          summary={`${formatCount(total.input_tokens)} in, ${formatCount(total.output_tokens)} out${calls === undefined ? "" : `, of ${plural(calls, "model call", "model calls")}`}`}
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
              : `${plural(unpriced, "call is", "calls are")} not included: their models have no price in this project.`
          }
          kind="bars"
          series={[{ name: "cost", label: "Cost", color: "var(--sl-ok)" }]}
          format={formatCost}
        />
      </div>
    </div>
  );
}

type TimesCardProps = {
  readonly total: Figures;
  readonly step: Metrics["step"];
  readonly points: readonly Point[];
  readonly title: string;
  readonly note: string;
  /** Reads the times to draw from a point: those of traces, of steps or of first tokens. */
  readonly timesOf: (point: Figures) => Spread;
  readonly onStep: (time: string) => void;
};

/** How long something took: percentiles over time. */
function TimesCard({ total, step, points, title, note, timesOf, onStep }: TimesCardProps) {
  const { p50_ms: p50, p95_ms: p95, p99_ms: p99 } = timesOf(total);
  return (
    <SeriesCard
      title={title}
      summary={`p50 ${formatKnownDuration(p50)}, p95 ${formatKnownDuration(p95)}, p99 ${formatKnownDuration(p99)}`}
      note={note}
      kind="lines"
      rows={points.map((point) => ({ time: point.time, label: stepLabel(point.time, step), ...timesOf(point) }))}
      series={[
        { name: "p50_ms", label: "p50", color: "var(--sl-kind-tool)" },
        { name: "p95_ms", label: "p95", color: "var(--sl-kind-node)" },
        // Among few values it is the same as p95, which shows through.
        { name: "p99_ms", label: "p99", color: "var(--sl-warn)", strokeDasharray: "4 4" },
      ]}
      format={formatKnownDuration}
      onStep={onStep}
    />
  );
}
