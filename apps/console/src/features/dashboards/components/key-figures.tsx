import { Paper, Text } from "@mantine/core";
import type { Figures, Metrics } from "@sightline/observability/contract";
import type { ReactNode } from "react";
import { formatCost, formatCount, formatDuration, formatShare, plural } from "#ui/words/format.ts";
import classes from "./key-figures.module.css";

/** What is known of filtered traces, and of all of them how many model calls they made. */
export type Total = Figures & Partial<Pick<Metrics["total"], "calls" | "unpriced_calls">>;

export function KeyFigures({ total }: { readonly total: Total }) {
  const { traces, input_tokens: input, output_tokens: output, cost, calls, unpriced_calls: unpriced = 0 } = total;
  return (
    <Paper component="dl" className={classes.figures}>
      <Figure label="Traces" value={formatCount(traces.count)} />
      <Figure
        label="Failed"
        value={formatPercent(traces.failures, traces.count)}
        below={plural(traces.failures, "trace", "traces")}
        isBad={traces.failures > 0}
      />
      <Figure label="Median duration" value={formatKnownDuration(traces.p50_ms)} below={`p95 ${formatKnownDuration(traces.p95_ms)}`} />
      {calls !== undefined && <Figure label="Model calls" value={formatCount(calls)} />}
      <Figure label="Tokens" value={formatCount(input + output)} below={`${formatCount(input)} in, ${formatCount(output)} out`} />
      <Figure
        label="Cost"
        value={cost === null ? "–" : formatCost(cost)}
        below={unpriced === 0 ? undefined : `${plural(unpriced, "call", "calls")} without a price`}
      />
    </Paper>
  );
}

type FigureProps = { readonly label: string; readonly value: ReactNode; readonly below?: ReactNode; readonly isBad?: boolean };

function Figure({ label, value, below, isBad = false }: FigureProps) {
  return (
    <div className={classes.figure}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd className={classes.value} data-bad={isBad || undefined}>
        {value}
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
