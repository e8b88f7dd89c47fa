import { termsOf } from "#store/index/terms.ts";
import { compilePattern } from "#retrieval/patterns/pattern.ts";
import { isFunctionWord, type ParsedQuery } from "#retrieval/query/query.ts";

/** Lines named at the most; past them nobody looks. */
const LINES = 20;

type Text = { readonly start_line: number; readonly content: string };

/**
 * Says the numbers of the lines that hold a literal of the query, or match one of its regular expressions, or, when none does, hold
 * one of its words.
 */
export function lineMatcher({ literals, concepts, alternatives, isCaseSensitive }: ParsedQuery): (text: Text) => number[] {
  const lowered = literals.map((literal) => literal.toLowerCase());
  const expressions = alternatives
    .flat()
    .filter(({ kind, negated }) => kind === "regex" && !negated)
    .map(({ source }) => compilePattern({ source, isRegex: true, isCaseSensitive }));
  const words = new Set(concepts.flatMap((concept) => concept.terms).filter((term) => !isFunctionWord(term)));
  return ({ start_line: start, content }) => {
    const lines = content.split("\n");
    const matching = new Set(expressions.flatMap((expression) => (expression.isTooMuch(content) ? [] : expression.linesOf(content))));
    const exact = numbersOf(
      lines,
      start,
      (line, index) => matching.has(index) || lowered.some((literal) => line.toLowerCase().includes(literal)),
    );
    return exact.length > 0 ? exact : numbersOf(lines, start, (line) => termsOf(line).some((term) => words.has(term)));
  };
}

function numbersOf(lines: readonly string[], start: number, matches: (line: string, index: number) => boolean): number[] {
  const numbers: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (numbers.length < LINES && matches(line, index)) {
      numbers.push(start + index);
    }
  }
  return numbers;
}
