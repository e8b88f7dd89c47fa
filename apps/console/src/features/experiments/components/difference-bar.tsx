import type { ComparedScore } from "@sightline/observability/contract";
import { VERDICT_TONES, formatDifference } from "#features/experiments/verdict-words.ts";
import classes from "./experiments.module.css";

type DifferenceBarProps = {
  readonly score: ComparedScore;
  readonly difference: NonNullable<ComparedScore["difference"]>;
  /** The largest difference that the bar shows, to each side. */
  readonly scale: number;
};

/** A difference and its interval around zero, above the margin within which a difference does not matter. */
export function DifferenceBar({ score, difference: { value, low, high, verdict, margin }, scale }: DifferenceBarProps) {
  const at = (shown: number) => `${50 + (48 * Math.min(Math.max(shown, -scale), scale)) / scale}%`;
  const between = (start: number, end: number) => ({ left: at(start), width: `calc(${at(end)} - ${at(start)})` });
  return (
    <span
      className={classes.bar}
      data-tone={VERDICT_TONES[verdict]}
      role="img"
      aria-label={`${formatDifference(score, value)}, between ${formatDifference(score, low)} and ${formatDifference(score, high)}`}
    >
      <span className={classes.margin} style={between(-margin, margin)} />
      <span className={classes.zero} />
      <span className={classes.range} style={between(low, high)} />
      <span className={classes.point} style={{ left: at(value) }} />
    </span>
  );
}
