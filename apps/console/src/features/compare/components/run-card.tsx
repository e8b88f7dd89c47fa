import { Anchor, Paper, Text } from "@mantine/core";
import type { ComparedTrace } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { tracesToCompareQuery } from "#features/compare/api/compare.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatDuration, plural } from "#ui/words/format.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./run-card.module.css";

type RunCardProps = {
  readonly side: "A" | "B";
  readonly projectId: string;
  readonly trace: ComparedTrace;
  /** What picks another one. */
  readonly children: ReactNode;
};

export function RunCard({ side, projectId, trace, children }: RunCardProps) {
  const listed = useQuery(tracesToCompareQuery(projectId, trace.id));
  const input = listed.data?.items.find(({ id }) => id === trace.id)?.input;
  return (
    <Paper component="section" className={classes.card} aria-label={`Run ${side}`}>
      <div className={classes.head}>
        <span className={classes.side}>{side}</span>
        <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: trace.id }} fw={600}>
          <SafeText text={trace.name} />
        </Anchor>
        <TraceStatus status={trace.status} />
        <span className={classes.pick}>{children}</span>
      </div>
      <div className={classes.facts}>
        <ExactTime at={trace.started_at} />
        <span>{trace.duration_ms === null ? "still running" : formatDuration(trace.duration_ms)}</span>
        <span>{plural(trace.steps, "step", "steps")}</span>
        <CopyableId value={trace.id} label="trace id" />
        {trace.lost_events > 0 && <span className={classes.lost}>{plural(trace.lost_events, "event", "events")} lost</span>}
      </div>
      {typeof input === "string" && (
        <Text size="sm" truncate mt={6} title={input}>
          <SafeText text={input} />
        </Text>
      )}
      {trace.error !== null && (
        <Text size="sm" c="var(--sl-bad)" lineClamp={3} mt={6} title={trace.error}>
          <SafeText text={trace.error} />
        </Text>
      )}
    </Paper>
  );
}
