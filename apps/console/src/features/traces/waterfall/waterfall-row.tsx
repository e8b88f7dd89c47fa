import { Tooltip, VisuallyHidden } from "@mantine/core";
import { type ObservationStatus, type Step, type TraceDigest, type Span } from "@sightline/observability/contract";
import { IconAlertCircleFilled, IconChevronRight, IconClockExclamation, IconHourglassHigh, IconUnlink } from "@tabler/icons-react";
import { formatDuration } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import type { StepRow } from "./step-rows.ts";
import { placeOf, runSpans, stepSpan } from "./waterfall.ts";
import { CommentsMark } from "#features/traces/marks/comments-mark.tsx";
import { KindIcon } from "#features/traces/marks/kind-icon.tsx";
import { STATUSES } from "#ui/words/trace-status.tsx";
import classes from "./waterfall-row.module.css";

/** The trace or a step of it: its name in its place of the tree, and its time beside it. */
export function WaterfallRow({
  row: { node, depth, expanded, isContext },
  trace,
  indent,
  whole,
  shown,
  waits,
  critical,
  isCause,
  caughtBy,
  root,
  comments,
  onToggle,
}: {
  readonly row: StepRow;
  readonly trace: TraceDigest;
  /** Pixels a level. */
  readonly indent: number;
  readonly whole: Span;
  readonly shown: Span;
  readonly waits: readonly Span[];
  /** When the trace's end waited for this step alone; undefined when it did not. */
  readonly critical: readonly Span[] | undefined;
  /** A failure arose here; else it came from below. */
  readonly isCause: boolean;
  /** The name of the step that caught it. */
  readonly caughtBy: string | undefined;
  /** The step that the trace's row stands for, too. */
  readonly root: Step | undefined;
  readonly comments: number;
  readonly onToggle: () => void;
}) {
  const { name, status, started_at: started, duration_ms: lasted } = node?.step ?? trace;
  const duration = status === "running" ? whole.end - Date.parse(started) : lasted;
  const kind = (node?.step ?? root)?.kind;
  const bars = node === undefined ? runSpans(trace.segments, whole) : [stepSpan(node, whole)];
  return (
    <span className={classes.row} data-context={isContext || undefined}>
      <span className={classes.words} style={{ paddingLeft: 6 + depth * indent }}>
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- for the mouse; the keyboard has the arrow keys of the tree */}
        <span
          className={classes.toggle}
          aria-hidden="true"
          onClick={(event) => {
            if (expanded !== undefined) {
              event.stopPropagation();
              onToggle();
            }
          }}
        >
          {expanded !== undefined && <IconChevronRight size={14} data-open={expanded || undefined} />}
        </span>
        <span className={classes.icon} data-kind={kind ?? "trace"}>
          <KindIcon kind={kind} />
        </span>
        <span className={classes.name} title={name}>
          <SafeText text={name} />
        </span>
        {node !== undefined && <Model step={node.step} />}
        <StatusMark status={status} isCause={isCause} caughtBy={caughtBy} />
        {node !== undefined && <Notes step={node.step} isOrphan={node.isOrphan} />}
        <CommentsMark count={comments} />
        {critical !== undefined && <VisuallyHidden>, on the critical path</VisuallyHidden>}
      </span>
      <span className={classes.track} aria-hidden="true">
        {waits.map((wait) => (
          <Bar key={wait.start} className={classes.wait} place={placeOf(wait, shown)} />
        ))}
        {bars.map((span) => (
          <Bar key={span.start} className={classes.bar} place={placeOf(span, shown)} kind={kind ?? "trace"} status={status} />
        ))}
        {critical?.map((span) => (
          <Bar key={span.start} className={classes.critical} place={placeOf(span, shown)} />
        ))}
      </span>
      <span className={classes.duration}>{duration === null ? "–" : formatDuration(duration)}</span>
    </span>
  );
}

type BarProps = {
  readonly className: string | undefined;
  readonly place: { readonly left: number; readonly width: number } | undefined;
  readonly kind?: string;
  readonly status?: ObservationStatus;
};

function Bar({ className, place, kind, status }: BarProps) {
  return place === undefined ? null : (
    <span
      className={className}
      data-kind={kind}
      data-status={status}
      style={{ left: `min(${place.left * 100}%, 100% - 3px)`, width: `max(3px, ${place.width * 100}%)` }}
    />
  );
}

function Model({ step: { kind, model, name } }: { readonly step: Step }) {
  return kind === "llm" && model !== null && !name.includes(model) ? <span className={classes.model}>{model}</span> : null;
}

type StatusMarkProps = { readonly status: ObservationStatus; readonly isCause: boolean; readonly caughtBy: string | undefined };

/** Success is the rule and goes without saying. A failure is told where it arose, by an icon, as its name needs the room; above it a dot is enough. */
function StatusMark({ status, isCause, caughtBy }: StatusMarkProps) {
  if (status === "failure") {
    const label = caughtBy !== undefined ? `Failure, caught by ${caughtBy}` : isCause ? "Failure" : "A step below failed";
    return (
      <Tooltip label={label}>
        <span className={isCause ? classes.cause : classes.dot} role="img" aria-label={label}>
          {isCause && <IconAlertCircleFilled size={15} />}
        </span>
      </Tooltip>
    );
  }
  return status === "success" ? null : (
    <span className={classes.status} data-tone={STATUSES[status].tone}>
      {STATUSES[status].label}
    </span>
  );
}

/** What is unusual about a step, in an icon that explains itself. */
function Notes({ step: { is_stalled: isStalled, clock_skew_ms: skew }, isOrphan }: { readonly step: Step; readonly isOrphan: boolean }) {
  const notes = [
    isStalled && { label: "Stalled: runs longer than 99 of 100 of its kind did", tone: "warn", icon: IconHourglassHigh },
    isOrphan && { label: "Its parent never arrived", tone: "warn", icon: IconUnlink },
    skew !== null && { label: skewText(skew), tone: "idle", icon: IconClockExclamation },
  ].filter((note) => note !== false);
  return notes.map(({ label, tone, icon: Icon }) => (
    <Tooltip key={label} label={label} multiline maw={280}>
      <span className={classes.note} data-tone={tone} role="img" aria-label={label}>
        <Icon size={14} />
      </span>
    </Tooltip>
  ));
}

/** Why a step lies outside of its parent. */
export function skewText(skew: number): string {
  const by = formatDuration(Math.abs(skew));
  return skew < 0
    ? `Seems to have begun ${by} before its parent: the clocks of two machines differ`
    : `Seems to have ended ${by} after its parent: it outlived it, or the clocks of two machines differ`;
}
