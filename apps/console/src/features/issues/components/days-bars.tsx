import { plural } from "#ui/words/format.ts";
import classes from "./issues.module.css";

const [WIDTH, HEIGHT, GAP] = [4, 22, 1];

/** Traces a day, the last is today. */
export function DaysBars({ days }: { readonly days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const sum = days.reduce((total, count) => total + count, 0);
  const width = days.length * (WIDTH + GAP);
  return (
    <svg
      className={classes.days}
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${plural(sum, "trace", "traces")} in ${days.length} days, at most ${most} a day`}
    >
      {days.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
        return (
          <rect
            key={at}
            className={count === 0 ? classes.none : classes.some}
            x={at * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
          />
        );
      })}
    </svg>
  );
}
