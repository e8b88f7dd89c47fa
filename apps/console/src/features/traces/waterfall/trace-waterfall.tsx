import { useElementSize } from "@mantine/hooks";
import { type TraceDigest, type Span } from "@sightline/observability/contract";
import { useMemo, type PointerEvent, useState } from "react";
import { asTick, plural, formatDuration } from "#ui/words/format.ts";
import { VirtualTree } from "#ui/kit/virtual-tree.tsx";
import type { Waterfall } from "./use-waterfall.ts";
import { waitSpans, ticks } from "./waterfall.ts";
import { WaterfallRow } from "./waterfall-row.tsx";
import classes from "./trace-waterfall.module.css";

const ROW_HEIGHT = 28;
const WIDEST_INDENT = 16;
const MIN_INDENT = 3;
/** Pixels that all levels together take. */
const INDENTS = 150;

/** A trace's steps as a tree, each beside the time it took. */
export function TraceWaterfall({
  id,
  trace,
  waterfall: { tree, rows, path, rootId, causes, caughtBy, found, whole, shown, setShown, collapsed, setCollapsed },
  selected,
  comments,
  onSelect,
}: {
  /** The id of the element that takes the focus. */
  readonly id: string;
  readonly trace: TraceDigest;
  readonly waterfall: Waterfall;
  readonly selected: string;
  /** By the id of the trace or the step. */
  readonly comments: ReadonlyMap<string, readonly unknown[]>;
  readonly onSelect: (id: string) => void;
}) {
  const waits = useMemo(() => waitSpans(trace.waits), [trace.waits]);
  const indent = Math.min(WIDEST_INDENT, Math.max(MIN_INDENT, INDENTS / Math.max(1, tree.depth)));

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
          selected={selected === rootId ? trace.id : selected}
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
              isCause={causes.has(row.at) || (row.at === -1 && rootId !== undefined && causes.has(0))}
              caughtBy={caughtBy.get(row.id)?.name}
              root={row.at === -1 ? tree.nodes.find(({ step }) => step.id === rootId)?.step : undefined}
              comments={comments.get(row.id)?.length ?? 0}
              onToggle={() => toggle(row)}
            />
          )}
        </VirtualTree>
      </div>
    </div>
  );
}

const MAX_TICKS = 5;
/** Pixels that a label such as `1 min 30 s` takes. */
const TICK_WIDTH = 64;
/** Pixels; less is a click. */
const MIN_DRAG = 5;

type WaterfallAxisProps = { readonly shown: Span; readonly whole: Span; readonly onShow: (shown: Span | undefined) => void };

/** The moments of the time that is shown; dragging over them zooms in, a double click shows the whole again. */
function WaterfallAxis({ shown, whole, onShow }: WaterfallAxisProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const { ref, width: shownWidth } = useElementSize();
  const most = shownWidth === 0 ? MAX_TICKS : Math.min(MAX_TICKS, Math.max(1, Math.floor(shownWidth / TICK_WIDTH)));

  function fractionAt(event: PointerEvent): number {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  }

  function drop(event: PointerEvent): void {
    if (drag !== undefined) {
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      const length = shown.end - shown.start;
      if ((to - from) * event.currentTarget.clientWidth >= MIN_DRAG) {
        onShow({ start: shown.start + from * length, end: shown.start + to * length });
      }
      setDrag(undefined);
    }
  }

  return (
    <div
      ref={ref}
      className={classes.axis}
      aria-hidden="true"
      title="Drag to zoom in, double-click for the whole"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: fractionAt(event), to: fractionAt(event) });
      }}
      onPointerMove={(event) => setDrag((before) => (before === undefined ? undefined : { ...before, to: fractionAt(event) }))}
      onPointerUp={drop}
      onPointerCancel={() => setDrag(undefined)}
      onDoubleClick={() => onShow(undefined)}
    >
      {ticks(shown, whole, most).map(({ at, offset }) => (
        <span key={offset} className={classes.tick} style={{ left: `${at * 100}%` }}>
          <span>{offset === 0 ? "0" : asTick(formatDuration(offset))}</span>
        </span>
      ))}
      {drag !== undefined && (
        <span
          className={classes.drag}
          style={{ left: `${Math.min(drag.from, drag.to) * 100}%`, width: `${Math.abs(drag.to - drag.from) * 100}%` }}
        />
      )}
    </div>
  );
}
