import type { GrepFile, GrepMatch } from "#contract.ts";
import type { FilePart, FilePlace, TextFile } from "./read-texts.store.ts";
import { z } from "zod";
import { splitLines, type Pattern, type Range } from "#retrieval/patterns/compile-pattern.ts";

/** The last line that was shown, or looked at, and what the pages so far know. */
export const grepPositionSchema = z.object({
  repo: z.string(),
  path: z.string(),
  line: z.int().min(0),
  /** Matching lines up to there. */
  seen: z.int().min(0),
  /** Matching lines of all pages; -1 when unknown. */
  total: z.int().min(-1),
  /** Names the builds that were searched. */
  builds: z.string(),
});
type GrepPosition = z.infer<typeof grepPositionSchema>;

type Options = {
  readonly pattern: Pattern;
  /** Where the page before ended. */
  readonly position: GrepPosition | undefined;
  readonly limit: number;
  readonly context: number;
};

type LinePosition = Pick<GrepPosition, "repo" | "path" | "line" | "seen">;

type GrepResult = {
  readonly files: readonly GrepFile[];
  readonly matches: number;
  /** Matching lines of all pages; -1 when unknown. */
  readonly total: number;
  /** It is not full, and yet not everything was looked at. */
  readonly isPartial: boolean;
  /** Where to go on; undefined when there is nothing more. */
  readonly next: LinePosition | undefined;
  /** Files that may hold a match, but too much to find where. */
  readonly tooMuch: readonly string[];
  /** The place after the first `shown` lines of the page. */
  readonly placeOf: (shown: number) => LinePosition;
};

/** One page of matching lines: takes files in their order until it is full, and counts the lines it has no room for. */
export type GrepPage = {
  readonly isFull: () => boolean;
  /** False for a file whose lines were all on pages before. */
  readonly isWanted: (file: FilePlace) => boolean;
  /** Matching lines of all pages; -1 when unknown. */
  readonly total: () => number;
  /** Matching lines of all that was added here and on the pages before. */
  readonly counted: () => number;
  /** Notes that so many matched up to some place, as counted before. */
  readonly count: (lines: number) => void;
  /** Takes a file as a whole, or those parts of it that may hold matches. */
  readonly add: (file: TextFile, parts: readonly FilePart[]) => Promise<void>;
  /** Notes that no other file up to this place holds a match. */
  readonly pass: (place: FilePlace) => void;
  /** Notes that all files were added. */
  readonly end: () => void;
  readonly result: () => GrepResult;
};

/** A line number after the last line of any file. */
const END = 2 ** 31;

export function createGrepPage({ pattern, position, limit, context }: Options): GrepPage {
  const files: GrepFile[] = [];
  const before = position?.seen ?? 0;
  const known = position?.total ?? -1;
  let matches = 0;
  /** Matching lines that the page has no room for. */
  let further = 0;
  let isEnded = false;
  const tooMuch: string[] = [];
  let at: Omit<LinePosition, "seen"> | undefined = position;

  const isBegun = ({ repo, path }: FilePlace) => position?.repo === repo && position.path === path;
  const isFull = () => matches >= limit;
  const total = () => (isEnded ? before + matches + further : known);
  const isMore = () => (total() === -1 ? true : before + matches < total());

  return {
    isFull,
    isWanted: (file) => !isBegun(file) || (position?.line ?? 0) < END,
    total,
    counted: () => before + matches + further,
    count: (lines) => {
      further = lines - before - matches;
    },
    add: async (file, parts) => {
      const { repo, ref, commit, path, language } = file;
      if (parts.some(({ text }) => pattern.isTooMuch(text))) {
        tooMuch.push(...(parts.some(({ text }) => pattern.mayMatch(text)) ? [`${repo} ${path}`] : []));
        at = isFull() ? at : { repo, path, line: END };
        return;
      }
      // Two parts may share a line.
      let from = isBegun(file) ? (position?.line ?? 0) : 0;
      const wasFull = isFull();
      const found: GrepMatch[] = [];
      for (const { line: first, text } of parts) {
        const lines = (await pattern.findLines(text)).filter((line) => first + line >= from);
        const shown = lines.slice(0, limit - matches - found.length);
        further += lines.length - shown.length;
        from = Math.max(from, first + (lines.at(-1) ?? -1) + 1);
        const shownMatches = shown.length === 0 ? [] : matchesIn(text, { pattern, lines, shown, context });
        found.push(...shownMatches.map((match) => ({ ...match, line: first + match.line })));
      }
      if (found.length > 0) {
        files.push({ repo, ref, commit, path, language, matches: found });
        matches += found.length;
      }
      at = wasFull ? at : { repo, path, line: isFull() ? (found.at(-1)?.line ?? END) : END };
    },
    pass: ({ repo, path }) => {
      at = isFull() ? at : { repo, path, line: END };
    },
    end: () => {
      isEnded = true;
    },
    result: () => ({
      files,
      matches,
      total: total(),
      isPartial: !isEnded && !isFull(),
      tooMuch,
      placeOf: (shown) => placeAfter(files, shown, before),
      next: isMore() ? { repo: "", path: "", line: 0, ...at, seen: before + matches } : undefined,
    }),
  };
}

function placeAfter(files: readonly GrepFile[], shown: number, before: number): LinePosition {
  const [last] = files.flatMap(({ repo, path, matches }) => matches.map(({ line }) => ({ repo, path, line }))).slice(shown - 1, shown);
  return { repo: "", path: "", line: 0, ...last, seen: before + shown };
}

type Showing = {
  readonly pattern: Pattern;
  /** All lines of the text that match, and those to show. */
  readonly lines: readonly number[];
  readonly shown: readonly number[];
  readonly context: number;
};

function matchesIn(text: string, { pattern, lines, shown, context }: Showing): GrepMatch[] {
  const texts = splitLines(text);
  const ranges = pattern.rangesIn(text, shown);
  return shown.map((line, index) => {
    const previous = lines[lines.indexOf(line) - 1];
    const next = lines[lines.indexOf(line) + 1] ?? texts.length;
    // What the match before shows after it, this one does not show before it.
    const from = Math.max(0, line - context, previous === undefined ? 0 : previous + context + 1);
    return {
      line: line + 1,
      ...cutLineToMatch(texts[line] ?? "", ranges[index] ?? []),
      before: texts.slice(Math.min(from, line), line).map(cutContext),
      after: texts.slice(line + 1, Math.min(line + 1 + context, next)).map(cutContext),
    };
  });
}

/** Characters shown of a line, and of those the ones before its first match. */
const MAX_LINE_LENGTH = 1_000;
const BEFORE = 100;

function cutLineToMatch(line: string, ranges: readonly Range[]): Pick<GrepMatch, "text" | "ranges"> {
  if (line.length <= MAX_LINE_LENGTH) {
    return { text: line, ranges: ranges.map(([from, to]) => [from, to]) };
  }
  const first = ranges[0]?.[0] ?? 0;
  const begin = first <= MAX_LINE_LENGTH - BEFORE ? 0 : Math.min(first - BEFORE, line.length - MAX_LINE_LENGTH);
  const head = begin === 0 ? "" : "…";
  const end = begin + MAX_LINE_LENGTH;
  return {
    text: `${head}${line.slice(begin, end).toWellFormed()}${end < line.length ? "…" : ""}`,
    ranges: ranges.flatMap(([from, to]) =>
      from < end ? [[from - begin + head.length, Math.min(to, end) - begin + head.length] as [number, number]] : [],
    ),
  };
}

function cutContext(line: string): string {
  return cutLineToMatch(line, []).text;
}
