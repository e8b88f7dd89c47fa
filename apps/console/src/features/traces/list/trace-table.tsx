import "@mantine/core/styles/Checkbox.layer.css";
import { Table, Anchor, Checkbox } from "@mantine/core";
import { useCallbackRef, useHotkeys } from "@mantine/hooks";
import type { FoundTrace, TraceSort } from "@sightline/observability/contract";
import { useMemo, useRef, type RefObject, useDeferredValue, useLayoutEffect, useState, memo } from "react";
import { ColumnHeading, ScrollFrame } from "#ui/kit/data-table.tsx";
import { useSingleKeys } from "#ui/keys/single-keys.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { COLUMNS, type ColumnId, type Column } from "#features/traces/list/model/columns.ts";
import { walkRows } from "./walk-rows.ts";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { FoundIn } from "#features/traces/marks/found-in.tsx";
import { CommentsMark } from "#features/traces/marks/comments-mark.tsx";
import { LostEventsBadge } from "#features/traces/marks/lost-events.tsx";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { Cell } from "./cell.tsx";
import classes from "./trace-table.module.css";

/** One trace of the list. Fifty of them are most of what the page costs, so each is made again only when it changed. */
const TraceRow = memo(function TraceRow({
  projectId,
  trace,
  index,
  words,
  columns,
  isChosen,
  onChoose,
  onTerm,
}: Pick<TraceTableProps, "projectId" | "words" | "onChoose" | "onTerm"> & {
  readonly trace: FoundTrace;
  readonly index: number;
  readonly columns: readonly Column[];
  readonly isChosen: boolean;
}) {
  return (
    <Table.Tr aria-rowindex={index + 2} className={classes.row ?? ""} data-chosen={isChosen || undefined}>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Choose ${trace.name} of ${trace.started_at}`}
          checked={isChosen}
          onChange={() => onChoose([trace.id], !isChosen)}
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
            <SafeText text={trace.name} />
          </Anchor>
          <CopyableId value={trace.id} label="trace id" length={0} />
          <LostEventsBadge projectId={projectId} count={trace.lost_events} />
          <CommentsMark count={trace.comments} />
        </div>
      </Table.Td>
      {words !== undefined && (
        <Table.Td>
          <FoundIn projectId={projectId} trace={trace} words={words} />
        </Table.Td>
      )}
      {columns.map((column) => (
        <Table.Td key={column.id} {...(column.isNumber === true ? { ta: "right" as const } : {})}>
          <Cell column={column} trace={trace} onTerm={onTerm} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
});

/** The height of a row in the style sheet, in pixels. */
const ROW_HEIGHT = 32;
/** Fewer than these are all there, for the browser's own search. */
const FEW = 150;
/** A high screen has room for this many rows. They are there at once, and the others right after they are painted. */
const SCREEN = 26;

/** Which rows exist, and how much room those before and after them take in pixels. The page scrolls, not the table. */
function useShownRows(body: RefObject<HTMLElement | null>, count: number) {
  const few = useDeferredValue(FEW, SCREEN);
  const [top, setTop] = useState(0);
  const isVirtual = count > FEW;
  useLayoutEffect(() => {
    // Where all rows are there nobody needs it, and the browser would have to lay out the page before it is whole.
    if (!isVirtual) {
      return;
    }
    const box = body.current?.getBoundingClientRect();
    setTop(box === undefined ? 0 : box.top + window.scrollY);
  }, [body, count, isVirtual]);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it leaves this hook but numbers
  const virtual = useWindowVirtualizer({ count, estimateSize: () => ROW_HEIGHT, overscan: 20, scrollMargin: top, enabled: isVirtual });
  const items = virtual.getVirtualItems();
  const [start, end] = [items[0], items.at(-1)];
  if (!isVirtual || start === undefined || end === undefined) {
    const last = Math.min(count, few);
    return { first: 0, last, before: 0, after: (count - last) * ROW_HEIGHT };
  }
  return {
    first: start.index,
    last: end.index + 1,
    before: start.index * ROW_HEIGHT,
    after: (count - end.index - 1) * ROW_HEIGHT,
  };
}

const [CHOICE_WIDTH, STATUS_WIDTH, NAME_WIDTH, FOUND_WIDTH] = [34, 102, 168, 320];

export type Sorting = { readonly sort: TraceSort; readonly order: "desc" | "asc" };

type TraceTableProps = {
  readonly projectId: string;
  readonly traces: readonly FoundTrace[];
  /** What the query looks for in texts; undefined where it looks for none. */
  readonly words: readonly string[] | undefined;
  readonly columns: readonly ColumnId[];
  readonly sorting: Sorting;
  /** Ids of those that are chosen. */
  readonly chosen: readonly string[];
  readonly onSort: (sorting: Sorting) => void;
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void;
  readonly onTerm: (term: string) => void;
};

/** The traces as rows, of which only those near the screen exist once there are many. */
export function TraceTable({
  projectId,
  traces,
  words,
  columns: shownColumns,
  sorting,
  chosen,
  onSort,
  onChoose,
  onTerm,
}: TraceTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const columns = useMemo(() => COLUMNS.filter(({ id }) => shownColumns.includes(id)), [shownColumns]);
  const choose = useCallbackRef(onChoose);
  const addTerm = useCallbackRef(onTerm);
  const { first, last, before, after } = useShownRows(body, traces.length);
  const { areOn } = useSingleKeys();
  useHotkeys(
    areOn
      ? [
          ["j", () => walkRows(body.current, 1)],
          ["k", () => walkRows(body.current, -1)],
        ]
      : [],
  );
  const fixed = CHOICE_WIDTH + STATUS_WIDTH + NAME_WIDTH + (words === undefined ? 0 : FOUND_WIDTH);
  const width = columns.reduce((sum, column) => sum + column.width, fixed);
  return (
    <ScrollFrame label="Traces" minWidth={width}>
      <Table
        highlightOnHover
        layout="fixed"
        verticalSpacing={0}
        horizontalSpacing={8}
        aria-rowcount={traces.length + 1}
        className={classes.table ?? ""}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={CHOICE_WIDTH}>
              <Checkbox
                size="xs"
                aria-label="Choose all that are shown"
                checked={chosen.length > 0 && traces.every(({ id }) => chosen.includes(id))}
                indeterminate={traces.some(({ id }) => chosen.includes(id)) && !traces.every(({ id }) => chosen.includes(id))}
                onChange={(event) =>
                  choose(
                    traces.map(({ id }) => id),
                    event.currentTarget.checked,
                  )
                }
              />
            </Table.Th>
            <ColumnHeading header="Status" width={STATUS_WIDTH} />
            <ColumnHeading header="Trace" {...(columns.some(({ isWide }) => isWide) ? { width: NAME_WIDTH } : {})} />
            {words !== undefined && <ColumnHeading header="Found in" width={FOUND_WIDTH} />}
            {columns.map(({ id, label, width: wide, isWide, isNumber, sort }) => (
              <ColumnHeading
                key={id}
                header={label}
                {...(isWide === true ? {} : { width: wide })}
                align={isNumber === true ? "right" : undefined}
                sort={
                  sort && {
                    order: sort === sorting.sort ? sorting.order : undefined,
                    onSort: () => onSort({ sort, order: sort === sorting.sort && sorting.order === "desc" ? "asc" : "desc" }),
                  }
                }
              />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody
          ref={body}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              walkRows(body.current, event.key === "ArrowDown" ? 1 : -1);
            }
          }}
        >
          <Gap height={before} />
          {traces.slice(first, last).map((trace, index) => (
            <TraceRow
              key={trace.id}
              projectId={projectId}
              trace={trace}
              index={first + index}
              words={words}
              columns={columns}
              isChosen={chosen.includes(trace.id)}
              onChoose={choose}
              onTerm={addTerm}
            />
          ))}
          <Gap height={after} />
        </Table.Tbody>
      </Table>
    </ScrollFrame>
  );
}

/** The height of the rows that are not there. */
function Gap({ height }: { readonly height: number }) {
  return height === 0 ? null : <tr aria-hidden="true" style={{ height }} />;
}
