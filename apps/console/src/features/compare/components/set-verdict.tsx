import type { ComparedFigure, Estimate } from "@sightline/observability/contract";
import { formatExactCount } from "#ui/words/format.ts";
import classes from "./set-figures.module.css";

type Format = (value: number) => string;

/** A figure and the range in which it lies. */
export function EstimateText({ estimate, format }: { readonly estimate: Estimate | null; readonly format: Format }) {
  return estimate === null ? (
    <>–</>
  ) : (
    <span title={`95% range: ${format(Math.max(estimate.low, 0))} to ${format(estimate.high)}, of ${formatExactCount(estimate.of)}`}>
      {format(estimate.value)}{" "}
      <span className={classes.range}>
        ({format(Math.max(estimate.low, 0))}–{format(estimate.high)})
      </span>
    </span>
  );
}

/** By how much B differs from A, and the range in which that lies; nothing where it is too little to say so. */
export function DifferenceText({ figure: { difference, verdict }, format }: { readonly figure: ComparedFigure; readonly format: Format }) {
  if (difference === null || verdict === "too_few") {
    return null;
  }
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
  const range = `${signed(difference.low)} to ${signed(difference.high)}`;
  return (
    <span className={classes.range} title={`B less A: ${signed(difference.value)}, with a 95% range of ${range}`}>
      {signed(difference.value)} ({range})
    </span>
  );
}

type VerdictProps = {
  readonly figure: ComparedFigure;
  /** Whether more of it is worse. */
  readonly isCost?: boolean;
};

/** Whether B differs from A by more than chance. */
export function SetVerdictText({ figure: { a, b, verdict }, isCost = true }: VerdictProps) {
  switch (verdict) {
    case "higher":
    case "lower":
      return (
        <span className={classes.verdict} data-tone={isCost ? (verdict === "higher" ? "worse" : "better") : undefined}>
          {verdict === "higher" ? "Higher in B" : "Lower in B"}
        </span>
      );
    case "unclear":
      return <span className={classes.unclear}>{a?.value === b?.value ? "The same" : "No clear change"}</span>;
    case "too_few":
      return (
        <span className={classes.unclear}>
          Too few to tell ({formatExactCount(a?.of ?? 0)} and {formatExactCount(b?.of ?? 0)})
        </span>
      );
    case "unknown":
      return <span className={classes.unclear}>Not recorded in {a === null ? (b === null ? "either" : "A") : "B"}</span>;
    default:
      return verdict satisfies never;
  }
}
