import { structuredPatch, type StructuredPatchHunk } from "diff";
import type { Region } from "./compose-patches.ts";
import { headOfHunk } from "./patch.ts";

/** Versions that differ by more lines are taken for two texts that have nothing in common. */
const MAX_EDITS = 5_000;
const TIMEOUT_MS = 1_000;

/** Two versions of a file, or of a part of it. */
type Versions = Pick<Region, "before" | "after"> & Partial<Region>;

/** The hunks between two versions, as `git diff` writes them. */
export function diffOfLines({ before, after, oldBefore = 0, newBefore = 0 }: Versions) {
  const options = { context: 3, maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS };
  const found = structuredPatch("", "", before.join(""), after.join(""), undefined, undefined, options);
  const hunks = found?.hunks ?? [wholeHunk(before, after)];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    deleted: lines.filter((line) => line.startsWith("-")).length,
    patch: hunks
      .map(
        (hunk) =>
          `${headOfHunk({ ...hunk, oldStart: hunk.oldStart + oldBefore, newStart: hunk.newStart + newBefore })}\n${hunk.lines.map((line) => `${line}\n`).join("")}`,
      )
      .join(""),
  };
}

type Hunk = Pick<StructuredPatchHunk, "oldStart" | "oldLines" | "newStart" | "newLines" | "lines">;

function wholeHunk(before: readonly string[], after: readonly string[]): Hunk {
  const marked = (sign: string) => (line: string) =>
    line.endsWith("\n") ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, "\\ No newline at end of file"];
  const lines = [...before.flatMap(marked("-")), ...after.flatMap(marked("+"))];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}
