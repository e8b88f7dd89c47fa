import { type PointerEvent, useState } from "react";
import { formatDuration } from "#ui/words/format.ts";
import { type Span, ticks } from "./waterfall.ts";
import classes from "./waterfall-axis.module.css";

const MOST_TICKS = 5;
/** Pixels; less is a click. */
const SHORTEST_DRAG = 5;

/** The moments of the time that is shown; dragging over them zooms in, a double click shows the whole again. */
export function WaterfallAxis({
  shown,
  whole,
  onShow,
}: {
  readonly shown: Span;
  readonly whole: Span;
  readonly onShow: (shown: Span | undefined) => void;
}) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();

  function fractionAt(event: PointerEvent): number {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  }

  function drop(event: PointerEvent): void {
    if (drag !== undefined) {
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      const length = shown.end - shown.start;
      if ((to - from) * event.currentTarget.clientWidth >= SHORTEST_DRAG) {
        onShow({ start: shown.start + from * length, end: shown.start + to * length });
      }
      setDrag(undefined);
    }
  }

  return (
    <div
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
      {ticks(shown, whole, MOST_TICKS).map(({ at, offset }) => (
        <span key={offset} className={classes.tick} style={{ left: `${at * 100}%` }}>
          <span>{offset === 0 ? "0" : formatDuration(offset)}</span>
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
