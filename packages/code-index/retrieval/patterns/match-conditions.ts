import { escapeExpression } from "@sightline/foundation/patterns";
import { yieldEvery } from "@sightline/foundation/yield-every";
import { compilePattern } from "./compile-pattern.ts";
import type { Condition } from "#retrieval/query/query-filters.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { invalidQuery } from "#retrieval/query/refusals.ts";
import { ANY, and, or, type TrigramQuery } from "./trigram-query.ts";

/** The conditions of a query, ready to be checked against texts. */
export type Conditions = {
  /** Whether a text meets all the conditions of one of the alternatives. */
  readonly matches: (content: string) => boolean;
  /** Trigrams that every text that meets them holds. */
  readonly trigrams: TrigramQuery;
  /** Whether each of the alternatives says what to find, and not only what to leave out. */
  readonly hasPositive: boolean;
};

const MAX_CONDITIONS = 50;
/** Steps that one character may cost with all expressions together, so that no query blocks the others for long. */
const MAX_STEPS_TOGETHER = 5_000;

/**
 * The conditions of a query, compiled; `undefined` when every text meets them.
 *
 * @throws {AppError} `invalid_query` (400) when there are too many, `invalid_pattern` (400) for one that can't be read.
 */
export function compileConditions({
  alternatives,
  isCaseSensitive,
}: Pick<ParsedQuery, "alternatives" | "isCaseSensitive">): Conditions | undefined {
  const count = alternatives.flat().length;
  if (count > MAX_CONDITIONS) {
    throw invalidQuery(`The query has ${count} conditions (quotes, regular expressions, exclusions); at most ${MAX_CONDITIONS} are taken.`);
  }
  const compiled = alternatives.map((conditions) => conditions.map((condition) => compileCondition(condition, isCaseSensitive)));
  if (compiled.flat().reduce((sum, { steps }) => sum + steps, 0) > MAX_STEPS_TOGETHER) {
    throw invalidQuery("The regular expressions of the query are too large together; repeat less in them, or ask for less at once.");
  }
  if (compiled.some((conditions) => conditions.length === 0)) {
    return undefined;
  }
  return {
    matches: (content) => compiled.some((conditions) => conditions.every(({ isMetBy }) => isMetBy(content))),
    trigrams: or(compiled.map((conditions) => conditions.map(({ trigrams }) => trigrams).reduce(and, ANY))),
    hasPositive: alternatives.every((conditions) => conditions.some(({ negated }) => !negated)),
  };
}

type Compiled = { readonly isMetBy: (content: string) => boolean; readonly trigrams: TrigramQuery; readonly steps: number };

function compileCondition({ kind, source, negated }: Condition, isCaseSensitive: boolean): Compiled {
  const pattern = compilePattern({ source, isRegex: kind === "regex", isCaseSensitive });
  const holds = kind === "regex" ? pattern.matches : textFinder(source, isCaseSensitive);
  const { steps } = pattern;
  return negated ? { isMetBy: (content) => !holds(content), trigrams: ANY, steps } : { isMetBy: holds, trigrams: pattern.trigrams, steps };
}

/** A text is found ten times as fast without RE2, which only expressions need. */
function textFinder(source: string, isCaseSensitive: boolean): (content: string) => boolean {
  if (isCaseSensitive) {
    return (content) => content.includes(source);
  }
  const expression = new RegExp(escapeExpression(source), "iu");
  return (content) => expression.test(content);
}

/** How long other work of the process has to wait at most. */
const MAX_BLOCKING_MS = 20;

type Meeting<Item> = {
  readonly kept: readonly Item[];
  /** False when the deadline came before all were checked. */
  readonly isComplete: boolean;
};

/** The items whose content meets the conditions, checked until the deadline. */
export async function keepMeeting<Item extends { readonly content: string }>(
  items: readonly Item[],
  conditions: Conditions,
  until: number,
): Promise<Meeting<Item>> {
  const kept: Item[] = [];
  const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
  for (const item of items) {
    await yieldToEventLoop();
    if (performance.now() > until) {
      return { kept, isComplete: false };
    }
    if (conditions.matches(item.content)) {
      kept.push(item);
    }
  }
  return { kept, isComplete: true };
}
