import type { TraceWrite } from "#ingest/writing/batch-rows.ts";

type TwoHalves = Pick<TraceWrite, "seen_at" | "start_seq" | "start_event" | "end_seq" | "end_event">;

/** Merges a row into those that are there: the newer of two events for the same half stays, whichever comes first. */
export function mergeHalves<Row extends TwoHalves>(rows: Map<string, Row>, key: string, added: Row, kept: Partial<Row> = {}): void {
  const known = rows.get(key);
  if (known === undefined) {
    rows.set(key, added);
    return;
  }
  const seenAt = known.seen_at < added.seen_at ? known.seen_at : added.seen_at;
  // A row that is added holds one half at the most, so the older row never hides more than that half.
  const addedIsOlder = isNewer(known, added, "start") || isNewer(known, added, "end");
  const [older, newer] = addedIsOlder ? [added, known] : [known, added];
  // Not assigned to the older: V8 makes a dictionary of an object that is given so many fields later, and writes it as JSON half as fast.
  rows.set(key, { ...older, ...newer, seen_at: seenAt, ...kept });
}

function isNewer(left: TwoHalves, right: TwoHalves, half: "start" | "end"): boolean {
  const leftEvent = left[`${half}_event`];
  const rightEvent = right[`${half}_event`];
  if (leftEvent === undefined || rightEvent === undefined) {
    return false;
  }
  const difference = (left[`${half}_seq`] ?? 0) - (right[`${half}_seq`] ?? 0);
  return difference === 0 ? leftEvent > rightEvent : difference > 0;
}

export function lower<Text extends string>(left: Text | undefined, right: Text | undefined): Text | undefined {
  return left === undefined || (right !== undefined && right < left) ? right : left;
}

export function higher(left: string | undefined, right: string | undefined): string | undefined {
  return left === undefined || (right !== undefined && right > left) ? right : left;
}
