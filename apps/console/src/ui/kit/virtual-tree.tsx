import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { nextInTree, type TreeRow } from "./tree-keys.ts";
import classes from "./virtual-tree.module.css";

/** A tree of any size, of which only the visible rows exist; used with the arrow keys, as the ARIA practices have it. */
export function VirtualTree<Row extends TreeRow>({
  treeId,
  label,
  rows,
  rowHeight,
  selected,
  onSelect,
  onToggle,
  children,
}: {
  /** The id of the element that takes the focus. */
  readonly treeId?: string;
  readonly label: string;
  readonly rows: readonly Row[];
  /** Pixels. */
  readonly rowHeight: number;
  readonly selected: string | undefined;
  readonly onSelect: (row: Row) => void;
  readonly onToggle: (row: Row) => void;
  readonly children: (row: Row) => ReactNode;
}) {
  const prefix = useId();
  const box = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useState(selected ?? rows[0]?.id);
  const selectedAt = rows.findIndex(({ id }) => id === selected);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });

  useEffect(() => {
    if (selected !== undefined) {
      setActiveId(selected);
    }
    if (selectedAt >= 0) {
      virtual.scrollToIndex(selectedAt, { align: isFar(box.current, selectedAt * rowHeight, rowHeight) ? "center" : "auto" });
    }
    // oxlint-disable-next-line react/exhaustive-deps -- only a change of the selection moves the view, not every new row
  }, [selected]);

  function press(event: KeyboardEvent): void {
    const at = Math.max(
      0,
      rows.findIndex(({ id }) => id === activeId),
    );
    const current = rows[at];
    if (current === undefined) {
      return;
    }
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : nextInTree(rows, at, event.key);
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    // The page knows some of these keys too, for when the focus is elsewhere.
    event.stopPropagation();
    if (step.kind === "select") {
      onSelect(current);
    } else if (step.kind === "toggle") {
      onToggle(current);
    } else {
      setActiveId(rows[step.to]?.id);
      virtual.scrollToIndex(step.to, { align: "auto" });
    }
  }

  const items = virtual.getVirtualItems();
  const activeShown = items.some(({ index }) => rows[index]?.id === activeId);
  return (
    <div
      ref={box}
      {...(treeId === undefined ? {} : { id: treeId })}
      className={classes.tree}
      role="tree"
      aria-label={label}
      tabIndex={0}
      onKeyDown={press}
      {...(activeShown ? { "aria-activedescendant": `${prefix}${activeId}` } : {})}
    >
      <div role="none" className={classes.canvas} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree itself takes the keys; see press
            <div
              key={row.id}
              id={`${prefix}${row.id}`}
              role="treeitem"
              tabIndex={-1}
              aria-level={row.depth + 1}
              aria-selected={row.id === selected}
              {...(row.expanded === undefined ? {} : { "aria-expanded": row.expanded })}
              data-active={row.id === activeId || undefined}
              className={classes.row}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              onClick={() => {
                setActiveId(row.id);
                onSelect(row);
              }}
            >
              {children(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Whether a row lies beyond those next to what is in sight: it is shown among its neighbors then, and not at the edge. */
function isFar(box: HTMLElement | null, top: number, rowHeight: number): boolean {
  return box === null || top < box.scrollTop - 2 * rowHeight || top > box.scrollTop + box.clientHeight + rowHeight;
}
