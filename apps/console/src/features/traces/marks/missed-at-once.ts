import type { TraceGap } from "@sightline/observability/contract";

export type Missed = Pick<TraceGap, "producer_id" | "found_at"> & {
  /** The missing events, in words. */
  readonly numbers: string;
};

/** What was missed of one producer at one moment is one entry, however many holes it has. */
export function missedAtOnce(gaps: readonly TraceGap[]): readonly Missed[] {
  const groups = Map.groupBy(gaps, ({ producer_id: producer, found_at: at }) => `${producer} ${at}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ producer_id: first.producer_id, found_at: first.found_at, numbers: numbersOf(group) }];
  });
}

function numbersOf(gaps: readonly TraceGap[]): string {
  const ranges = gaps.map(({ first_seq: first, last_seq: last }) => (first === last ? `${first}` : `${first}–${last}`));
  const isOne = gaps.length === 1 && gaps[0]?.events === 1;
  return `${isOne ? "Number" : "Numbers"} ${ranges.join(", ")}`;
}
