import type { TraceHistogram } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { type PointerEvent, useState } from "react";
import { histogramQuery } from "#features/traces/api/list-traces.ts";
import { formatScaleTime, plural } from "#ui/words/format.ts";
import { toBars, rangeOfBars } from "./histogram-bars.ts";
import { type ListProps, isReadable } from "#features/traces/list/model/list-state.ts";
import { toTraceQuery } from "#features/traces/list/query/query-text.ts";
import classes from "./histogram.module.css";

/** When the traces of the list began; dragging over it, or a click on a bar, narrows the list to that time. */
export function TraceHistogramBar({ projectId, state, onChange }: ListProps) {
  const { q } = toTraceQuery(state);
  const { data } = useQuery({ ...histogramQuery(projectId, q), enabled: isReadable(q) });
  return data === undefined ? (
    <div className={classes.histogram} />
  ) : (
    <Bars data={data} onRange={(range) => onChange({ ...state, range })} />
  );
}

function Bars({ data, onRange }: { readonly data: TraceHistogram; readonly onRange: (range: { from: string; to: string }) => void }) {
  const bars = toBars(data);
  const max = Math.max(1, ...bars.map(({ traces }) => traces));
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const [first, last] = [bars[0], bars.at(-1)];

  function barAt(event: PointerEvent): number {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length)));
  }

  function drop(): void {
    const range = drag && rangeOfBars(data, Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
    setDrag(undefined);
    if (range !== undefined) {
      onRange(range);
    }
  }

  // The time can be chosen by keyboard above the list.
  return (
    <div className={classes.histogram} aria-hidden="true" title="Drag to choose a time">
      <div
        className={classes.bars}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: barAt(event), to: barAt(event) });
        }}
        onPointerMove={(event) => setDrag((before) => before && { ...before, to: barAt(event) })}
        onPointerUp={drop}
        onPointerCancel={() => setDrag(undefined)}
      >
        {bars.map(({ at, traces, failures }, index) => (
          <span
            key={at}
            className={classes.slot}
            title={`${formatScaleTime(new Date(at), data.bar_ms)}: ${plural(traces, "trace", "traces")}${failures === 0 ? "" : `, ${failures} failed`}`}
            data-chosen={
              (drag !== undefined && index >= Math.min(drag.from, drag.to) && index <= Math.max(drag.from, drag.to)) || undefined
            }
          >
            {traces > 0 && (
              <span className={classes.bar} style={{ height: `max(3px, ${(traces / max) * 100}%)` }}>
                <span className={classes.failed} style={{ height: `${(failures / traces) * 100}%` }} />
              </span>
            )}
          </span>
        ))}
      </div>
      <div className={classes.ends}>
        <span>{first === undefined ? "" : formatScaleTime(new Date(first.at), data.bar_ms)}</span>
        <span>{last === undefined || last === first ? "" : formatScaleTime(new Date(last.at + data.bar_ms), data.bar_ms)}</span>
      </div>
    </div>
  );
}
