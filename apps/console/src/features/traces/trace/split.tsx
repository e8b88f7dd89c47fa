import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import classes from "./split.module.css";

const STEP = 4;
const MIN_SHARE = 20;
const MAX_SHARE = 80;

type SplitProps = {
  /** Names the border. */
  readonly label: string;
  /** Percent of the width that is the first one's. */
  readonly initial: number;
  /** Undefined when the second pane has all the room. */
  readonly first: ReactNode | undefined;
  readonly second: ReactNode;
};

/** Two regions beside each other, with a border between them that the mouse and the arrow keys move; one above the other where it is narrow. */
export function Split({ label, initial, first, second }: SplitProps) {
  const box = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(initial);
  const move = (to: number): void => setShare(Math.round(Math.min(MAX_SHARE, Math.max(MIN_SHARE, to))));

  function drag(event: PointerEvent): void {
    const place = box.current?.getBoundingClientRect();
    if (place !== undefined && event.currentTarget.hasPointerCapture(event.pointerId)) {
      move(((event.clientX - place.left) / place.width) * 100);
    }
  }

  function press(event: KeyboardEvent): void {
    const by = event.key === "ArrowLeft" ? -STEP : event.key === "ArrowRight" ? STEP : 0;
    if (by !== 0) {
      event.preventDefault();
      move(share + by);
    }
  }

  if (first === undefined) {
    return <div className={classes.single}>{second}</div>;
  }
  return (
    <div ref={box} className={classes.split}>
      <div className={classes.first} style={{ flexBasis: `${share}%` }}>
        {first}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator with a value is a widget: ARIA's window splitter */}
      <div
        role="separator"
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={share}
        aria-valuemin={MIN_SHARE}
        aria-valuemax={MAX_SHARE}
        tabIndex={0}
        className={classes.border}
        onKeyDown={press}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <div className={classes.second}>{second}</div>
    </div>
  );
}
