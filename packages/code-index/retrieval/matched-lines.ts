import { termsOf } from "#store/terms.ts";
import { isFunctionWord, type ParsedQuery } from "./query.ts";

/** Lines named at the most; past them nobody looks. */
const LINES = 20;

type Text = { readonly start_line: number; readonly content: string };

/** The numbers of the lines that hold a literal of the query or, when none does, one of its words. */
export function matchedLines({ start_line: start, content }: Text, { literals, concepts }: ParsedQuery): number[] {
  const lines = content.split("\n");
  const lowered = literals.map((literal) => literal.toLowerCase());
  const exact = numbersOf(lines, start, (line) => lowered.some((literal) => line.toLowerCase().includes(literal)));
  if (exact.length > 0) {
    return exact;
  }
  const words = new Set(concepts.flatMap((concept) => concept.terms).filter((term) => !isFunctionWord(term)));
  return numbersOf(lines, start, (line) => termsOf(line).some((term) => words.has(term)));
}

function numbersOf(lines: readonly string[], start: number, matches: (line: string) => boolean): number[] {
  const numbers: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (numbers.length < LINES && matches(line)) {
      numbers.push(start + index);
    }
  }
  return numbers;
}
