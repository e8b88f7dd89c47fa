import { diffArrays } from "diff";

/** Versions that differ by more lines are taken for two texts that have nothing in common. */
const MAX_EDITS = 5_000;
const TIMEOUT_MS = 1_000;

/** For each line of the new version its place in the old one; `undefined` for lines that are new. */
export function linesThatStayed(before: readonly string[], after: readonly string[]): (line: number) => number | undefined {
  const origins: (number | undefined)[] = [];
  let old = 0;
  for (const { added, removed, count } of diffArrays([...before], [...after], { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS }) ?? []) {
    for (let line = 0; line < count; line++) {
      if (!removed) {
        origins.push(added ? undefined : old);
      }
      old += added ? 0 : 1;
    }
  }
  return (line) => origins[line];
}
