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
      hunks.push({ oldBefore: linesAbove(oldStart, oldLines), newBefore: linesAbove(newStart, newLines), lines: [] });
    } else if (line.startsWith("\\") && last !== undefined) {
      lines[lines.length - 1] = { ...last, text: last.text.slice(0, -1) };
    } else {
      lines.push({ sign: signOf(line), text: `${line.slice(1)}\n` });
    }
  }
  return hunks;
}

/** Git names the line before, where there are none. */
function linesAbove(start = "0", lines = "1"): number {
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
export function isSame(line: string | undefined, text: string): boolean {
  return line === text || withoutMark(line ?? "") === withoutMark(text);
}

export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Lines with their ends. */
export function splitLines(content: string): readonly string[] {
  return content === "" ? [] : content.split(/(?<=\n)/u);
}

/** For each line of the new version its place in the old one; `undefined` for lines that are new. */
export function traceOrigins(hunks: readonly Hunk[]): (line: number) => number | undefined {
  const stretches: { from: number; origin: number | undefined }[] = [{ from: 0, origin: 0 }];
  for (const { oldBefore, newBefore, lines } of hunks) {
    let [before, after] = [oldBefore, newBefore];
    for (const { sign } of lines) {
      if (sign !== "-") {
        stretches.push({ from: after++, origin: sign === "+" ? undefined : before });
      }
      before += sign === "+" ? 0 : 1;
    }
    stretches.push({ from: after, origin: before });
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

/** Lines that changed together: those of the old version, and what took their place. */
export type Stretch = Readonly<Record<"oldBefore" | "oldLines" | "newBefore" | "newLines", number>>;

/** Changed stretches that lines of the new version are part of, or that were taken out between two of them. */
export function touchedStretches(hunks: readonly Hunk[], lines: ReadonlySet<number>): readonly Stretch[] {
  return hunks
    .flatMap(stretchesOf)
    .filter(({ newBefore, newLines }) =>
      newLines === 0
        ? lines.has(newBefore - 1) && lines.has(newBefore)
        : Array.from({ length: newLines }, (_, index) => newBefore + index).some((line) => lines.has(line)),
    );
}

function stretchesOf({ oldBefore, newBefore, lines }: Hunk): readonly Stretch[] {
  const stretches: { oldBefore: number; oldLines: number; newBefore: number; newLines: number }[] = [];
  let [before, after, isOpen] = [oldBefore, newBefore, false];
  for (const { sign } of lines) {
    if (sign !== " " && !isOpen) {
      stretches.push({ oldBefore: before, oldLines: 0, newBefore: after, newLines: 0 });
    }
    isOpen = sign !== " ";
    const last = stretches.at(-1);
    if (isOpen && last !== undefined) {
      last.oldLines += sign === "-" ? 1 : 0;
      last.newLines += sign === "+" ? 1 : 0;
    }
    before += sign === "+" ? 0 : 1;
    after += sign === "-" ? 0 : 1;
  }
  return stretches;
}

/** What was in the place of lines before: the lines themselves, and all that the stretches they are in replaced. */
export function linesBefore(hunks: readonly Hunk[], lines: ReadonlySet<number>): readonly number[] {
  const originOf = traceOrigins(hunks);
  const replaced = touchedStretches(hunks, lines).flatMap(({ oldBefore, oldLines }) =>
    Array.from({ length: oldLines }, (_, index) => oldBefore + index),
  );
  return [...new Set([...[...lines].flatMap((line) => originOf(line) ?? []), ...replaced])];
}

/** Unchanged lines that are shown around those that changed. */
const CONTEXT = 3;

/** What of a change is about some lines of the new version, in git's words. */
export function patchOfLines(hunks: readonly Hunk[], lines: ReadonlySet<number>): string {
  const touched = touchedStretches(hunks, lines);
  return hunks.map((hunk) => textOfHunk(narrowHunk(hunk, lines, touched))).join("");
}

function narrowHunk({ oldBefore, newBefore, lines }: Hunk, asked: ReadonlySet<number>, touched: readonly Stretch[]): Hunk {
  let [before, after] = [oldBefore, newBefore];
  const placed = lines.map((line) => {
    const place = { line, before, after };
    before += line.sign === "+" ? 0 : 1;
    after += line.sign === "-" ? 0 : 1;
    return place;
  });
  const isWanted = ({ line: { sign }, before: at, after: now }: (typeof placed)[number]) =>
    (sign === "+" && asked.has(now)) ||
    (sign === "-" && touched.some((each) => at >= each.oldBefore && at < each.oldBefore + each.oldLines));
  const first = placed.findIndex(isWanted);
  const kept = first === -1 ? [] : placed.slice(Math.max(first - CONTEXT, 0), placed.findLastIndex(isWanted) + CONTEXT + 1);
  return { oldBefore: kept[0]?.before ?? 0, newBefore: kept[0]?.after ?? 0, lines: kept.map(({ line }) => line) };
}

function textOfHunk({ oldBefore, newBefore, lines }: Hunk): string {
  const count = (sign: string) => lines.filter((line) => line.sign !== sign).length;
  const head = headOfHunk({ oldStart: oldBefore + 1, oldLines: count("+"), newStart: newBefore + 1, newLines: count("-") });
  const texts = lines.map(({ sign, text }) => (text.endsWith("\n") ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`));
  return lines.length === 0 ? "" : `${head}\n${texts.join("")}`;
}

export type HunkPlace = Readonly<Record<"oldStart" | "oldLines" | "newStart" | "newLines", number>>;

export function headOfHunk({ oldStart, oldLines, newStart, newLines }: HunkPlace): string {
  return `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`;
}

/** Git names the line before, where there are none, and writes the number of a single line alone. */
function rangeOf(start: number, lines: number): string {
  return lines === 1 ? String(start) : `${lines === 0 ? start - 1 : start},${lines}`;
}
