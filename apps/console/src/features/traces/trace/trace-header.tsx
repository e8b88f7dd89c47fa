import { Anchor, Text, Title, Tooltip } from "@mantine/core";
import { quoteTraceValue, type Step, type TraceDigest } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCost, formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { isUnpriced } from "#features/traces/details/unpriced.ts";
import { LostEvents } from "#features/traces/marks/lost-events.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { TraceLabels } from "./trace-labels.tsx";
import classes from "./trace-header.module.css";
import { TraceStatus } from "#ui/words/trace-status.tsx";

const MAX_NODES = 3;

type TraceHeaderProps = {
  readonly trace: TraceDigest;
  readonly steps: readonly Step[];
  readonly breadcrumbs: ReactNode;
  readonly mayTag: boolean;
  /** What can be done, on the right. */
  readonly actions: ReactNode;
  /** How new this is; nothing once the trace is over. */
  readonly live: ReactNode;
};

/** What a trace is, in a line or two. */
export function TraceHeader({ trace, steps, breadcrumbs, mayTag, actions, live }: TraceHeaderProps) {
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <div className={classes.up}>{breadcrumbs}</div>
        <div className={classes.facts}>
          <Title order={1} fz="lg">
            <SafeText text={trace.name} />
          </Title>
          <TraceStatus status={trace.status} />
          {trace.current.length > 0 && <Current nodes={trace.current} />}
          {live}
        </div>
        <div className={classes.facts}>
          {trace.duration_ms !== null && <Text size="sm">{formatDuration(trace.duration_ms)}</Text>}
          {trace.waiting_ms > 0 && <span>and {formatDuration(trace.waiting_ms)} waiting for people</span>}
          {trace.segments.length > 1 && <span>{plural(trace.segments.length, "run", "runs")}</span>}
          <span>{plural(trace.steps_total, "step", "steps")}</span>
          {trace.failures > 0 && (
            <Text size="sm" c="var(--sl-bad)">
              {plural(trace.failures, "failure", "failures")}
            </Text>
          )}
          {trace.input_tokens !== null && (
            <span>
              {formatCount(trace.input_tokens)} tokens in{trace.output_tokens === null ? "" : `, ${formatCount(trace.output_tokens)} out`}
            </span>
          )}
          <Cost trace={trace} steps={steps} />
          <TimeStamp at={trace.started_at} />
          <CopyableId value={trace.id} label="trace id" />
          <TraceLinks trace={trace} />
          <LostEvents projectId={trace.project_id} count={trace.lost_events} gaps={trace.gaps} />
        </div>
        <TraceLabels trace={trace} mayTag={mayTag} />
      </div>
      <div className={classes.actions}>{actions}</div>
    </header>
  );
}

/** The nodes in which it is now. */
function Current({ nodes }: { readonly nodes: readonly string[] }) {
  const rest = nodes.slice(MAX_NODES);
  return (
    <Text size="sm" component="span" role="status">
      in {nodes.slice(0, MAX_NODES).join(", ")}
      {rest.length > 0 && (
        <Tooltip label={rest.join(", ")} multiline maw={320}>
          <span tabIndex={0}> and {rest.length} more</span>
        </Tooltip>
      )}
    </Text>
  );
}

/** A sum that leaves calls out says so. */
function Cost({ trace: { cost }, steps }: { readonly trace: TraceDigest; readonly steps: readonly Step[] }) {
  const unpriced = useMemo(() => steps.filter(isUnpriced).length, [steps]);
  if (cost === null && unpriced === 0) {
    return null;
  }
  return (
    <span>
      {cost !== null && formatCost(cost)}
      {cost !== null && unpriced > 0 && " + "}
      {unpriced > 0 && `${plural(unpriced, "call", "calls")} without a price`}
    </span>
  );
}

/** Links to its session and user, and to the list of all traces of its thread. */
function TraceLinks({ trace }: { readonly trace: TraceDigest }) {
  const { project_id: projectId, session_id: sessionId, user_id: userId, thread_id: threadId } = trace;
  return (
    <>
      {sessionId !== null && (
        <span>
          session{" "}
          <Anchor component={Link} {...LINK} to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId }}>
            {shortened(sessionId)}
          </Anchor>
        </span>
      )}
      {userId !== null && (
        <span>
          user{" "}
          <Anchor component={Link} {...LINK} to="/projects/$projectId/users/$userId" params={{ projectId, userId }}>
            {shortened(userId)}
          </Anchor>
        </span>
      )}
      {threadId !== null && threadId !== sessionId && (
        <span>
          thread{" "}
          <Anchor
            component={Link}
            {...LINK}
            to="/projects/$projectId/traces"
            params={{ projectId }}
            search={{ q: `thread:${quoteTraceValue(threadId)}` }}
            title="All traces of this thread"
          >
            {shortened(threadId)}
          </Anchor>
        </span>
      )}
    </>
  );
}

const LINK = { fz: "inherit", underline: "always" } as const;
/** Ids can be as long as whoever made them likes. */
const MAX_LENGTH = 48;

function shortened(id: string): string {
  return id.length > MAX_LENGTH ? `${id.slice(0, MAX_LENGTH)}…` : id;
}
