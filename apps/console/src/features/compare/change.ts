import type { ComparedTrace, ObservationStatus } from "@sightline/observability/contract";
import { formatShare, plural } from "#ui/words/format.ts";

/** How much a figure of the second run is above that of the first. */
export type Change = {
  readonly text: string;
  /** The share of the first run's figure; empty where that is 0, or nothing changed. */
  readonly share: string;
  /** More of what is counted here (time, cost, failures) is worse, where both runs came to their end. */
  readonly tone: "more" | "less" | "none";
};

/** `+1.20 s` and `+40%`; nothing when one of them is not known. */
export function toChange(a: number | null, b: number | null, format: (value: number) => string): Change | null {
  if (a === null || b === null) {
    return null;
  }
  const difference = b - a;
  if (difference === 0) {
    return { text: "the same", share: "", tone: "none" };
  }
  const sign = difference > 0 ? "+" : "−";
  const share = a === 0 ? "" : `${sign}${formatShare(Math.abs(difference) / Math.abs(a))}`;
  return { text: `${sign}${format(Math.abs(difference))}`, share, tone: difference > 0 ? "more" : "less" };
}

const ENDS: Readonly<Record<Exclude<ObservationStatus, "success">, string>> = {
  running: "is still running",
  failure: "failed",
  interrupted: "is waiting to be resumed",
  abandoned: "was abandoned",
};

type Run = Pick<ComparedTrace, "status" | "steps">;

/** Which runs did not come to their end, so that less of time, tokens or cost is no gain; undefined when both did. */
export function endedEarly(a: Run, b: Run): string | undefined {
  const early = (
    [
      ["A", a],
      ["B", b],
    ] as const
  ).flatMap(([side, { status, steps }]) =>
    status === "success" ? [] : [`${side} ${ENDS[status]} after ${plural(steps, "step", "steps")}`],
  );
  return early.length === 0 ? undefined : `Ended early, not comparable: ${early.join(", and ")}.`;
}
