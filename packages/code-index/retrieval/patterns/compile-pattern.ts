import { escapeExpression } from "@sightline/foundation/patterns";
import { type AppError, refusal } from "@sightline/foundation/errors";
import { yieldEvery } from "@sightline/foundation/yield-every";
import { RE2JS, RE2JSException } from "re2js";
import type { HeldText } from "#retrieval/scope/read-chunks.store.ts";
import { toTrigramClass } from "#store/index/trigrams.ts";
import { and, limitTo, queryOfRun, ANY, type TrigramQuery } from "./trigram-query.ts";
import { readRegex } from "./read-regex.ts";

/** A text to find letter for letter, or a regular expression in RE2's syntax. */
export type PatternSource = {
  readonly source: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
};

/** From and to which character of a line, the last not included. */
export type Range = readonly [from: number, to: number];

/**
 * What is looked for, line by line; a pattern that speaks of line ends is found across lines. Lines end at `\n` or `\r\n`, which is no
 * part of them. Everything takes time in proportion to the text, whatever the pattern.
 */
export type Pattern = {
  /** What a chunk must hold for a match to be in it. */
  readonly trigrams: TrigramQuery;
  readonly isMultiline: boolean;
  /** What every match is, of a text that is on one line. */
  readonly held: HeldText | undefined;
  /** Steps that a character of a text takes at the most. */
  readonly steps: number;
  readonly matches: (text: string) => boolean;
  /** Whether finding where in the text its matches are would take too long, as of a large expression in a large file. */
  readonly isTooMuch: (text: string) => boolean;
  /** False when nothing of a text matches; true where telling that would take too long. */
  readonly mayMatch: (text: string) => boolean;
  /** The numbers, from 0, of the lines that match, as `splitLines` splits the text. */
  readonly linesOf: (text: string) => readonly number[];
  /** The same, but yields to the event loop when it takes long. */
  readonly findLines: (text: string) => Promise<readonly number[]>;
  /** Where in the lines, of those `linesOf` gave, the matches are. */
  readonly rangesIn: (text: string, lines: readonly number[]) => readonly (readonly Range[])[];
};

/** Longest pattern, in characters. */
const MAX_PATTERN_LENGTH = 2_000;
/** Most instructions of a compiled expression. */
const MAX_PROGRAM_SIZE = 5_000;
/** Most trigrams that the index is asked for. */
const MAX_TRIGRAMS = 64;

/** @throws {AppError} `invalid_pattern` (400), saying what is wrong with it. */
export function compilePattern(given: PatternSource): Pattern {
  const { source, isRegex } = given;
  if (source === "") {
    throw invalidPattern("The pattern is empty; say what to look for.");
  }
  if (source.length > MAX_PATTERN_LENGTH) {
    throw invalidPattern(`The pattern is longer than ${MAX_PATTERN_LENGTH} characters.`);
  }
  if (source.includes("\0")) {
    throw invalidPattern("The pattern holds a NUL character, which no source text has.");
  }
  return isRegex ? compileRegex(given) : compileLiteral(given);
}

/** The lines of a text without their ends; what follows the last line's end is no line. */
export function splitLines(text: string): readonly string[] {
  const lines = plainEnds(text).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function plainEnds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}

function invalidPattern(message: string): AppError {
  return refusal(400, "invalid_pattern", message);
}

function compileLiteral({ source, isCaseSensitive }: PatternSource): Pattern {
  const literal = plainEnds(source);
  const trigrams = literal
    .split("\n")
    .map((line) => queryOfRun(Array.from({ length: line.length }, (_, at) => toTrigramClass(line.charCodeAt(at)))))
    .reduce(and, ANY);
  const regex = compile(RE2JS.quote(literal), isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const finder: Finder = {
    regex,
    // Faster than the automaton, but for texts and patterns made to be slow.
    test: isCaseSensitive && literal.length < 100 ? (text) => text.includes(literal) : (text) => regex.test(text),
  };
  return literal.includes("\n")
    ? acrossLines({
        trigrams,
        test: finder.test,
        matchesIn: (text) => matchesOfLiteral(literal, isCaseSensitive, text),
        steps: 1,
        isTooMuch: () => false,
        mayMatch: finder.test,
      })
    : withinLines({
        trigrams,
        held: { text: literal, as: isCaseSensitive ? "letter for letter" : "in either case" },
        line: finder,
        text: finder.test,
        steps: 1,
      });
}

function compileRegex({ source, isCaseSensitive }: PatternSource): Pattern {
  const flags = isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE;
  const regex = compile(source, flags);
  const overLines = compile(source, flags | RE2JS.MULTILINE);
  const steps = overLines.programSize();
  const { trigrams, isMultiline } = readRegex(source);
  const query = limitTo(trigrams, MAX_TRIGRAMS);
  const test = (text: string) => overLines.test(text);
  // In a test line by line, every line has a begin and an end of its own.
  const speaksOfEnds = /\\[Az]|\(\?[a-zA-Z]*-[a-zA-Z]*m/.test(source);
  return isMultiline
    ? acrossLines({
        trigrams: query,
        test,
        matchesIn: (text) => matchesOfRegex(overLines, text),
        steps,
        isTooMuch: (text) => text.length * steps > MAX_RANGE_STEPS,
        mayMatch: (text) => text.length * steps > MAX_TEST_STEPS || test(plainEnds(text)),
      })
    : withinLines({ trigrams: query, line: { regex, test: (line) => regex.test(line) }, text: speaksOfEnds ? undefined : test, steps });
}

function compile(source: string, flags: number): RE2JS {
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source, flags);
  } catch (error) {
    if (error instanceof RE2JSException) {
      // The library writes its flags before the expression.
      const what = error.message.replace(/^error parsing regexp: /, "").replace(/`(?:\(\?[ims]\))+/, "`");
      throw invalidPattern(`The pattern is not a regular expression in RE2's syntax: ${what}. Escape what is meant literally.`);
    }
    throw error;
  }
  if (regex.programSize() > MAX_PROGRAM_SIZE) {
    throw invalidPattern("The regular expression is too large; repeat less in it.");
  }
  return regex;
}

/** An expression, and a quicker test whether it has any match. */
type Finder = { readonly regex: RE2JS; readonly test: (text: string) => boolean };

type WithinLines = {
  readonly trigrams: TrigramQuery;
  readonly held?: HeldText;
  readonly line: Finder;
  /** Whether a line of a whole text may match. */
  readonly text: ((text: string) => boolean) | undefined;
  readonly steps: number;
};

function withinLines({ trigrams, held, line, text: mayMatch = () => true, steps }: WithinLines): Pattern {
  const linesOf = (text: string) =>
    mayMatch(plainEnds(text)) ? splitLines(text).flatMap((each, index) => (line.test(each) ? [index] : [])) : [];
  const isLong = (text: string) => text.length * steps > MAX_TEST_STEPS;
  const matches = (text: string) => mayMatch(plainEnds(text)) && splitLines(text).some(line.test);
  return {
    trigrams,
    isMultiline: false,
    held,
    steps,
    isTooMuch: (text) => isLong(text) && splitLines(text).some(isLong),
    mayMatch: (text) => isLong(text) || matches(text),
    linesOf,
    findLines: async (text) => (text.length * steps > MAX_RANGE_STEPS ? findLinesYielding(text, line.test) : linesOf(text)),
    matches,
    rangesIn: (text, wanted) => {
      const lines = splitLines(text);
      return wanted.map((index) => rangesOf(line.regex, lines[index] ?? ""));
    },
  };
}

/** How long other work of the process has to wait at most. */
const MAX_BLOCKING_MS = 20;

async function findLinesYielding(text: string, test: (line: string) => boolean): Promise<readonly number[]> {
  const found: number[] = [];
  const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
  for (const [index, line] of splitLines(text).entries()) {
    await yieldToEventLoop();
    if (test(line)) {
      found.push(index);
    }
  }
  return found;
}

/** Most ranges of one line. */
const MAX_RANGES = 100;
/** Steps spent on finding where in a text the matches are; beyond it is known only that there are some. */
const MAX_RANGE_STEPS = 20_000_000;
/** Steps of a test alone; so many take half a second at worst. */
const MAX_TEST_STEPS = 100_000_000;

function rangesOf(regex: RE2JS, text: string): readonly Range[] {
  return text.length * regex.programSize() > MAX_RANGE_STEPS ? [] : matchesOfRegex(regex, text, MAX_RANGES);
}

type AcrossLines = {
  readonly trigrams: TrigramQuery;
  readonly test: (text: string) => boolean;
  readonly matchesIn: (text: string) => readonly Range[];
  readonly isTooMuch: (text: string) => boolean;
  readonly mayMatch: (text: string) => boolean;
  readonly steps: number;
};

function acrossLines({ trigrams, test, matchesIn, isTooMuch, mayMatch, steps }: AcrossLines): Pattern {
  const find = (text: string): ReadonlyMap<number, readonly Range[]> => {
    const plain = plainEnds(text);
    return test(plain) ? spread(plain, matchesIn(plain)) : new Map();
  };
  return {
    trigrams,
    isMultiline: true,
    held: undefined,
    steps,
    isTooMuch,
    mayMatch,
    matches: (text) => test(plainEnds(text)),
    linesOf: (text) => [...find(text).keys()],
    findLines: async (text) => [...find(text).keys()],
    rangesIn: (text, wanted) => {
      const found = find(text);
      return wanted.map((index) => found.get(index) ?? []);
    },
  };
}

function matchesOfRegex(regex: RE2JS, text: string, max = Infinity): readonly Range[] {
  const matcher = regex.matcher(text);
  const ranges: Range[] = [];
  while (ranges.length < max && matcher.find()) {
    ranges.push([matcher.start(), matcher.end()]);
  }
  return ranges;
}

function matchesOfLiteral(literal: string, isCaseSensitive: boolean, text: string): readonly Range[] {
  return [...text.matchAll(new RegExp(escapeExpression(literal), isCaseSensitive ? "gu" : "giu"))].map(({ 0: found, index }) => [
    index,
    index + found.length,
  ]);
}

/** The ranges that the matches cover, by line, in order. */
function spread(text: string, matches: readonly Range[]): ReadonlyMap<number, readonly Range[]> {
  const covered = new Map<number, Range[]>();
  let line = 0;
  let begin = 0;
  for (const [from, to] of matches) {
    for (let end = text.indexOf("\n", begin); end !== -1 && end < from; end = text.indexOf("\n", begin)) {
      line++;
      begin = end + 1;
    }
    // The next match may begin on the last line of this one, so `line` and `begin` stay at its first.
    let [at, start] = [line, begin];
    do {
      const found = text.indexOf("\n", start);
      const end = found === -1 ? text.length : found;
      // Where a text ends with a line's end, no line follows.
      if (start < text.length) {
        const ranges = covered.get(at) ?? [];
        ranges.push([Math.max(from, start) - start, Math.min(to, end) - start]);
        covered.set(at, ranges);
      }
      at++;
      start = end + 1;
    } while (start < to);
  }
  return covered;
}
