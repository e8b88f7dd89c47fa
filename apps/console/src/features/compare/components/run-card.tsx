import { Anchor, Paper, Text } from "@mantine/core";
import type { ComparedTrace, ObservationStatus } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/copyable.tsx";
import { formatDuration, plural } from "#ui/format.ts";
import { Status, type Tone } from "#ui/status.tsx";
import { ExactTime } from "#ui/time-stamp.tsx";
import classes from "./run-card.module.css";

const TONES: Readonly<Record<ObservationStatus, Tone>> = {
  running: "busy",
  success: "ok",
  failure: "bad",
  interrupted: "warn",
  abandoned: "idle",
};

/** One of the two runs. */
export function RunCard({
  side,
  projectId,
  trace,
  children,
}: {
  readonly side: "A" | "B";
  readonly projectId: string;
  readonly trace: ComparedTrace;
  /** What picks another one. */
  readonly children: ReactNode;
}) {
  return (
    <Paper component="section" className={classes.card} aria-label={`Run ${side}`}>
      <div className={classes.head}>
        <span className={classes.side}>{side}</span>
        <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: trace.id }} fw={600}>
          {trace.name}
        </Anchor>
        <RunStatus status={trace.status} />
        <span className={classes.pick}>{children}</span>
      </div>
      <div className={classes.facts}>
        <ExactTime at={trace.started_at} />
        <span>{trace.duration_ms === null ? "still running" : formatDuration(trace.duration_ms)}</span>
        <span>{plural(trace.steps, "step", "steps")}</span>
        <CopyableId value={trace.id} label="trace id" />
        {trace.lost_events > 0 && <span className={classes.lost}>{plural(trace.lost_events, "event", "events")} lost</span>}
      </div>
      {trace.error !== null && (
        <Text size="sm" c="var(--sl-bad)" lineClamp={3} mt={6}>
          {trace.error}
        </Text>
      )}
    </Paper>
  );
}

export function RunStatus({ status }: { readonly status: ObservationStatus }) {
  return <Status tone={TONES[status]}>{status}</Status>;
}
