/** More than this between a report and the last number it names cannot be: each number is an event, and a stream holds fewer. */
const MAX_AHEAD = 10_000_000;

/** A number that a producer cannot have given would count all up to it as lost. */
export function plausible(lastSeq: number, ownSeq: number): number {
  return lastSeq > ownSeq + MAX_AHEAD ? ownSeq : lastSeq;
}
