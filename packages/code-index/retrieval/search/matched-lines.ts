import { isStopWord, type ParsedQuery } from "#retrieval/query/parse-query.ts";
import { compilePattern, splitLines, type Pattern, type Range } from "#retrieval/patterns/compile-pattern.ts";
import { locateTerms } from "#store/index/terms.ts";

/** Most matching lines of a result. */
const LINES = 20;

/** A line by its number in the text, from 0, and where in it what was found is. */
export type MatchedLine = { readonly index: number; readonly ranges: readonly Range[] };

/**
 * Finds the lines that hold a literal of the query, or match one of its regular expressions, or, when none does, hold one of its
 * words.
 */
export function lineMatcher({
  literals,
  queryTerms,
  alternatives,
  isCaseSensitive,
}: ParsedQuery): (text: string) => readonly MatchedLine[] {
  const patterns = [
    ...literals.map((source) => compilePattern({ source, isRegex: false, isCaseSensitive: false })),
    ...alternatives
      .flat()
      .filter(({ kind, negated }) => kind === "regex" && !negated)
      .map(({ source }) => compilePattern({ source, isRegex: true, isCaseSensitive })),
  ];
  const words = new Set(queryTerms.flatMap((queryTerm) => queryTerm.terms).filter((term) => !isStopWord(term)));
  return (text) => {
    const exact = matchesOf(patterns, text);
    return exact.length > 0 ? exact : linesWithWords(text, words);
  };
}

function matchesOf(patterns: readonly Pattern[], text: string): readonly MatchedLine[] {
  const ranges = new Map<number, Range[]>();
  for (const pattern of patterns.filter((each) => !each.isTooMuch(text))) {
    const lines = pattern.linesOf(text);
    pattern.rangesIn(text, lines).forEach((found, place) => {
      const index = lines[place] ?? 0;
      ranges.set(index, [...(ranges.get(index) ?? []), ...found]);
    });
  }
  return [...ranges]
    .map(([index, found]) => ({ index, ranges: found }))
    .toSorted((one, other) => one.index - other.index)
    .slice(0, LINES);
}

function linesWithWords(text: string, words: ReadonlySet<string>): readonly MatchedLine[] {
  const found: MatchedLine[] = [];
  const all = [...words];
  for (const [index, line] of splitLines(text).entries()) {
    if (found.length === LINES) {
      break;
    }
    const lower = line.normalize("NFC").toLowerCase();
    // Taking a line apart costs far more than looking whether any word can be in it.
    const places = all.some((word) => lower.includes(word)) ? locateTerms(line).filter(({ term }) => words.has(term)) : [];
    if (places.length > 0) {
      found.push({ index, ranges: places.map(({ from, to }): Range => [from, to]) });
    }
  }
  return found;
}
