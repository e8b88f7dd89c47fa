import type { ObservationStatus, Trace } from "@sightline/observability/contract";
import { IconChevronRight } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { formatDuration } from "#ui/format.ts";
import { VirtualTree } from "#ui/virtual-tree.tsx";
import { type Span, type TraceRow, barOf, traceRows, traceSpan } from "#features/traces/trace-rows.ts";
import { KindIcon } from "./kind-icon.tsx";
import { STATUSES } from "./trace-status.tsx";
import classes from "./trace-tree.module.css";

const INDENT = 18;
const ROW_HEIGHT = 34;

export function TraceTree({
  trace,
  now,
  selected,
  onSelect,
}: {
  readonly trace: Trace;
  /** When the trace looked like this, in milliseconds since the epoch; how far a running one has come. */
  readonly now: number;
  /** An observation's id, or the trace's. */
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => traceRows(trace, collapsed), [trace, collapsed]);
  const span = useMemo(() => traceSpan(trace, now), [trace, now]);

  function toggle({ id }: TraceRow): void {
    setCollapsed((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  }

  return (
    <VirtualTree
      label="Steps of the trace"
      rows={rows}
      rowHeight={ROW_HEIGHT}
      selected={selected}
      onSelect={({ id }) => onSelect(id)}
      onToggle={toggle}
    >
      {(row) => <Row row={row} trace={trace} span={span} onToggle={() => toggle(row)} />}
    </VirtualTree>
  );
}

function Row({
  row: { observation, depth, expanded },
  trace,
  span,
  onToggle,
}: {
  readonly row: TraceRow;
  readonly trace: Trace;
  readonly span: Span;
  readonly onToggle: () => void;
}) {
  const { name, status, duration_ms: duration } = observation ?? trace;
  const { left, width } = observation === undefined ? { left: 0, width: 1 } : barOf(observation, span);
  return (
    <span className={classes.row}>
      <span className={classes.words} style={{ paddingLeft: 8 + depth * INDENT }}>
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
        <span className={classes.icon} data-kind={observation?.kind ?? "trace"}>
          <KindIcon kind={observation?.kind} />
        </span>
        <span className={classes.name}>{name}</span>
        {observation?.kind === "llm" && observation.model !== null && observation.model !== name && (
          <span className={classes.model}>{observation.model}</span>
        )}
        <StatusMark status={status} />
      </span>
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.bar}
          data-kind={observation?.kind ?? "trace"}
          data-status={status}
          style={{ left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` }}
        />
      </span>
      <span className={classes.duration}>{duration === null ? "–" : formatDuration(duration)}</span>
    </span>
  );
}

/** Success is the rule and goes without saying. */
function StatusMark({ status }: { readonly status: ObservationStatus }) {
  return status === "success" ? null : (
    <span className={classes.status} data-tone={STATUSES[status].tone}>
      {STATUSES[status].label}
    </span>
  );
}
