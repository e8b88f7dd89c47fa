import "@mantine/core/styles/Checkbox.layer.css";
import { Anchor, Checkbox, Table } from "@mantine/core";
import type { ListedTrace } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { LostEventsBadge } from "#features/traces/marks/lost-events.tsx";
import { TraceStatus } from "#features/traces/marks/trace-status.tsx";
import { Cell } from "./cell.tsx";
import type { Column } from "./columns.ts";
import classes from "./trace-table.module.css";

/** One trace of the list. Fifty of them are most of what the page costs, so each is made again only when it changed. */
export const TraceRow = memo(function TraceRow({
  projectId,
  trace,
  index,
  columns,
  isChosen,
  onChoose,
  onTerm,
}: {
  readonly projectId: string;
  readonly trace: ListedTrace;
  readonly index: number;
  readonly columns: readonly Column[];
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
  readonly onTerm: (term: string) => void;
}) {
  return (
    <Table.Tr aria-rowindex={index + 2} className={classes.row ?? ""} data-chosen={isChosen || undefined}>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Choose ${trace.name} of ${trace.started_at} to compare it`}
          checked={isChosen}
          onChange={() => onChoose(trace.id)}
        />
      </Table.Td>
      <Table.Td>
        <TraceStatus status={trace.status} />
      </Table.Td>
      <Table.Td>
        <div className={classes.name}>
          <Anchor
            component={Link}
            to="/projects/$projectId/traces/$traceId"
            params={{ projectId, traceId: trace.id }}
            fw={550}
            data-trace
            title={trace.name}
            className={classes.link ?? ""}
          >
            {trace.name}
          </Anchor>
          <CopyableId value={trace.id} label="trace id" length={0} />
          <LostEventsBadge projectId={projectId} count={trace.lost_events} />
        </div>
      </Table.Td>
      {columns.map(({ id, isNumber }) => (
        <Table.Td key={id} {...(isNumber === true ? { ta: "right" as const } : {})}>
          <Cell column={id} trace={trace} onTerm={onTerm} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
});
