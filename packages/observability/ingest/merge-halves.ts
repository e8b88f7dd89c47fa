import type { TraceWrite } from "./batch-rows.ts";

type TwoHalves = Pick<TraceWrite, "seen_at" | "start_seq" | "start_event" | "end_seq" | "end_event">;

/** Of two events for the same half of a row the newer one stays, whichever comes first. */
export function mergeHalves<Row extends TwoHalves>(rows: Map<string, Row>, key: string, added: Row): void {
  const known = rows.get(key);
  if (known === undefined) {
    rows.set(key, added);
    return;
  }
  const seenAt = known.seen_at < added.seen_at ? known.seen_at : added.seen_at;
  // A row that is added holds one half at the most, so the older row never hides more than that half.
  const addedIsOlder = isNewer(known, added, "start") || isNewer(known, added, "end");
  rows.set(key, Object.assign(addedIsOlder ? Object.assign(added, known) : Object.assign(known, added), { seen_at: seenAt }));
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

export function lower(known: string | undefined, added: string): string {
  return known !== undefined && known < added ? known : added;
}

export function keyOf(...parts: readonly string[]): string {
  return parts.join("|");
}
