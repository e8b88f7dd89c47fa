import { brotliDecompressSync } from "node:zlib";
import { decode } from "#splitting/decode.ts";

/** A line of a hunk with its line end; ` ` is in both versions, `-` only in the old one and `+` only in the new one. */
export type PatchLine = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Where it begins: lines of each version before it. */
export type Hunk = { readonly oldBefore: number; readonly newBefore: number; readonly lines: readonly PatchLine[] };

/** A patch as it is kept, in git's words. */
export function textOfPatch(patch: Buffer | null): string {
  return patch === null ? "" : decode(brotliDecompressSync(patch)).text;
}

export function parsePatch(text: string): readonly Hunk[] {
  const hunks: (Hunk & { readonly lines: PatchLine[] })[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const begin = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const lines = hunks.at(-1)?.lines ?? [];
    const last = lines.at(-1);
    if (begin !== null) {
      const [, oldStart, oldLines, newStart, newLines] = begin;
      hunks.push({ oldBefore: before(oldStart, oldLines), newBefore: before(newStart, newLines), lines: [] });
    } else if (line.startsWith("\\") && last !== undefined) {
      lines[lines.length - 1] = { ...last, text: last.text.slice(0, -1) };
    } else {
      lines.push({ sign: signOf(line), text: `${line.slice(1)}\n` });
    }
  }
  return hunks;
}

/** Of no lines git names the one before them. */
function before(start = "0", lines = "1"): number {
  return Number(start) - (lines === "0" ? 0 : 1);
}

function signOf(line: string): PatchLine["sign"] {
  return line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
}

/** The same change the other way round. */
export function reversePatch(hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map(({ oldBefore, newBefore, lines }) => ({
    oldBefore: newBefore,
    newBefore: oldBefore,
    lines: lines.map(({ sign, text }) => ({ sign: sign === "+" ? "-" : sign === "-" ? "+" : " ", text })),
  }));
}

/** The new version; `undefined` where the patch is of another text. */
export function applyPatch(lines: readonly string[], hunks: readonly Hunk[]): readonly string[] | undefined {
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    result.push(...lines.slice(at, hunk.oldBefore));
    at = hunk.oldBefore;
    for (const { sign, text } of hunk.lines) {
      if (sign !== "+" && !isSame(lines[at++], text)) {
        return undefined;
      }
      if (sign !== "-") {
        result.push(text);
      }
    }
  }
  return [...result, ...lines.slice(at)];
}

/** A byte order mark is no part of a text that the index keeps. */
function isSame(line: string | undefined, text: string): boolean {
  return line === text || withoutMark(line ?? "") === withoutMark(text);
}

export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Lines with their ends. */
export function linesOf(content: string): readonly string[] {
  return content === "" ? [] : content.split(/(?<=\n)/u);
}

/** For each line of the new version its place in the old one; `undefined` for lines that are new. */
export function originsOf(hunks: readonly Hunk[]): (line: number) => number | undefined {
  const stretches: { from: number; origin: number | undefined }[] = [{ from: 0, origin: 0 }];
  for (const { oldBefore, newBefore, lines } of hunks) {
    let [old, young] = [oldBefore, newBefore];
    for (const { sign } of lines) {
      if (sign !== "-") {
        stretches.push({ from: young++, origin: sign === "+" ? undefined : old });
      }
      old += sign === "+" ? 0 : 1;
    }
    stretches.push({ from: young, origin: old });
  }
  return (line) => {
    const stretch = stretches[lastAtMost(stretches, line)];
    return stretch?.origin === undefined ? undefined : stretch.origin + line - stretch.from;
  };
}

function lastAtMost(stretches: readonly { readonly from: number }[], line: number): number {
  let [low, high] = [0, stretches.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stretches[middle]?.from ?? 0) <= line) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
