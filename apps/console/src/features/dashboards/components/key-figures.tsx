import { Paper, Text } from "@mantine/core";
import type { Figures, Metrics } from "@sightline/observability/contract";
import { formatCost, formatCount, formatDuration, formatShare, plural } from "#ui/words/format.ts";
import classes from "./key-figures.module.css";

/** What is known of filtered traces, and of all of them how many model calls they made. */
export type Total = Figures & Partial<Pick<Metrics["total"], "calls" | "unpriced_calls">>;

/** The figures of a time, each beside that of the time before where anything ran in it. */
export function KeyFigures({ total, before }: { readonly total: Total; readonly before: Total | undefined }) {
  const { traces, input_tokens: input, output_tokens: output, calls, unpriced_calls: unpriced = 0 } = total;
  const both = (valueOf: (total: Total) => string) => ({
    value: valueOf(total),
    was: before === undefined || before.traces.count === 0 ? undefined : valueOf(before),
  });
  return (
    <Paper component="dl" className={classes.figures}>
      <Figure label="Traces" {...both((of) => formatCount(of.traces.count))} />
      <Figure
        label="Failed"
        {...both((of) => formatPercent(of.traces.failures, of.traces.count))}
        below={plural(traces.failures, "trace", "traces")}
        isBad={traces.failures > 0}
      />
      <Figure
        label="Median duration"
        {...both((of) => formatKnownDuration(of.traces.p50_ms))}
        below={`p95 ${formatKnownDuration(traces.p95_ms)}`}
      />
      {calls !== undefined && <Figure label="Model calls" {...both((of) => formatCount(of.calls ?? 0))} />}
      <Figure
        label="Tokens"
        {...both((of) => formatCount(of.input_tokens + of.output_tokens))}
        below={`${formatCount(input)} in, ${formatCount(output)} out`}
      />
      <Figure
        label="Cost"
        {...both((of) => (of.cost === null ? "–" : formatCost(of.cost)))}
        below={unpriced === 0 ? undefined : `${plural(unpriced, "call", "calls")} without a price`}
      />
    </Paper>
  );
}

type FigureProps = {
  readonly label: string;
  readonly value: string;
  readonly was: string | undefined;
  readonly below?: string | undefined;
  readonly isBad?: boolean;
};

function Figure({ label, value, was, below, isBad = false }: FigureProps) {
  return (
    <div className={classes.figure}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd className={classes.value} data-bad={isBad || undefined}>
        {value} {was !== undefined && <span className={classes.was}>was {was}</span>}
      </dd>
      {below !== undefined && (
        <Text component="dd" size="xs" c="dimmed" className={classes.below ?? ""}>
          {below}
        </Text>
      )}
    </div>
  );
}

/** `0%`, `0.4%`, `12%`; `–` of nothing. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) {
    return "–";
  }
  return formatShare(part / whole);
}

export function formatKnownDuration(milliseconds: number | null): string {
  return milliseconds === null ? "–" : formatDuration(milliseconds);
}
