import { Text, Title } from "@mantine/core";
import type { Trace } from "@sightline/observability/contract";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/copyable.tsx";
import { formatCost, formatCount, formatDuration, plural } from "#ui/format.ts";
import { TimeStamp } from "#ui/time-stamp.tsx";
import { isUnpriced } from "#features/traces/unpriced.ts";
import { LostEvents } from "./lost-events.tsx";
import classes from "./trace-header.module.css";
import { TraceStatus } from "./trace-status.tsx";

export function TraceHeader({ trace, children }: { readonly trace: Trace; /** The way back. */ readonly children: ReactNode }) {
  return (
    <header className={classes.header}>
      <div className={classes.up}>{children}</div>
      <div className={classes.facts}>
        <Title order={1} fz="lg">
          {trace.name}
        </Title>
        <TraceStatus status={trace.status} />
        {trace.duration_ms !== null && <Text>{formatDuration(trace.duration_ms)}</Text>}
        {trace.waiting_ms > 0 && <Text c="dimmed">waited {formatDuration(trace.waiting_ms)}</Text>}
        {trace.segments.length > 1 && <Text c="dimmed">{plural(trace.segments.length, "run", "runs")}</Text>}
        <Text c="dimmed">{plural(trace.observations, "step", "steps")}</Text>
        {trace.failures > 0 && <Text c="var(--sl-bad)">{plural(trace.failures, "failure", "failures")}</Text>}
        {trace.input_tokens !== null && (
          <Text c="dimmed">
            {formatCount(trace.input_tokens)} tokens in{trace.output_tokens === null ? "" : `, ${formatCount(trace.output_tokens)} out`}
          </Text>
        )}
        <Cost trace={trace} />
        <Text c="dimmed">
          <TimeStamp at={trace.started_at} />
        </Text>
        <CopyableId value={trace.id} label="trace id" />
        <LostEvents count={trace.lost_events} />
      </div>
    </header>
  );
}

/** A sum that leaves calls out says so. */
function Cost({ trace: { cost, observation_list: steps } }: { readonly trace: Trace }) {
  const unpriced = steps.filter(isUnpriced).length;
  if (cost === null && unpriced === 0) {
    return null;
  }
  return (
    <Text c="dimmed">
      {cost !== null && formatCost(cost)}
      {cost !== null && unpriced > 0 && " + "}
      {unpriced > 0 && `${plural(unpriced, "call", "calls")} without a price`}
    </Text>
  );
}
