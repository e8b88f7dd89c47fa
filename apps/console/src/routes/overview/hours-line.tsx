import { formatCount } from "#ui/words/format.ts";
import classes from "./hours-line.module.css";

type Hour = { readonly count: number; readonly failures: number };

/** Traces and, below, failures by the hour, as small as a word. */
export function HoursLine({ hours }: { readonly hours: readonly Hour[] }) {
  const max = Math.max(1, ...hours.map(({ count }) => count));
  const points = (of: (hour: Hour) => number) => hours.map((hour, at) => `${at},${1 - of(hour) / max}`).join(" ");
  return (
    <svg
      className={classes.line}
      viewBox={`0 0 ${hours.length - 1} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Traces by the hour, ${formatCount(max)} at most`}
    >
      <polyline points={points(({ count }) => count)} />
      {hours.some(({ failures }) => failures > 0) && <polyline data-bad points={points(({ failures }) => failures)} />}
    </svg>
  );
}
