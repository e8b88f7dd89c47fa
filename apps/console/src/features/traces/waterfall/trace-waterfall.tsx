import type { TraceDigest } from "@sightline/observability/contract";
import { useMemo } from "react";
import { plural } from "#ui/words/format.ts";
import { VirtualTree } from "#ui/kit/virtual-tree.tsx";
import type { Waterfall } from "./use-waterfall.ts";
import { waitSpans } from "./waterfall.ts";
import { WaterfallAxis } from "./waterfall-axis.tsx";
import { WaterfallRow } from "./waterfall-row.tsx";
import classes from "./trace-waterfall.module.css";

const ROW_HEIGHT = 28;
const WIDEST_INDENT = 16;
const LEAST_INDENT = 3;
/** Pixels that all levels together take. */
const INDENTS = 150;

/** A trace's steps as a tree, each beside the time it took. */
export function TraceWaterfall({
  id,
  trace,
  waterfall: { tree, rows, path, found, whole, shown, setShown, collapsed, setCollapsed },
  selected,
  onSelect,
}: {
  /** Of the element that takes the focus. */
  readonly id: string;
  readonly trace: TraceDigest;
  readonly waterfall: Waterfall;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}) {
  const waits = useMemo(() => waitSpans(trace.waits), [trace.waits]);
  const indent = Math.min(WIDEST_INDENT, Math.max(LEAST_INDENT, INDENTS / Math.max(1, tree.depth)));

  function toggle(row: { readonly id: string }): void {
    const next = new Set(collapsed);
    if (!next.delete(row.id)) {
      next.add(row.id);
    }
    setCollapsed(next);
  }

  return (
    <div className={classes.waterfall}>
      <div className={classes.head}>
        <span className={classes.title} role="status">
          {found === undefined ? "Step" : plural(found, "step found", "steps found")}
        </span>
        <WaterfallAxis shown={shown} whole={whole} onShow={setShown} />
        <span className={classes.duration}>Duration</span>
      </div>
      <div className={classes.tree}>
        <VirtualTree
          treeId={id}
          label="Steps of the trace"
          rows={rows}
          rowHeight={ROW_HEIGHT}
          selected={selected}
          onSelect={(row) => onSelect(row.id)}
          onToggle={toggle}
        >
          {(row) => (
            <WaterfallRow
              row={row}
              trace={trace}
              indent={indent}
              whole={whole}
              shown={shown}
              waits={waits}
              critical={path.get(row.at)}
              onToggle={() => toggle(row)}
            />
          )}
        </VirtualTree>
      </div>
    </div>
  );
}
