import { escapeExpression } from "@sightline/foundation/patterns";
import { AppError, refusal } from "@sightline/foundation/errors";
import { yieldEvery } from "@sightline/foundation/yield-every";
import type { SavedQuery } from "#contract.ts";
import { compilePattern, splitLines } from "#retrieval/patterns/compile-pattern.ts";
import { compileConditions } from "#retrieval/patterns/match-conditions.ts";
import { parseQuery, type ParsedQuery } from "#retrieval/query/parse-query.ts";
import { scopeFilters, type Condition } from "#retrieval/query/query-filters.ts";
import { tokenizeQuery } from "#retrieval/query/query-operators.ts";
import { askedScope } from "#retrieval/scope/asked-scope.ts";
import type { Access, Scope } from "#store/tenancy/read-scope.store.ts";

/** A saved search, ready to be held against lines that were added. */
export type Watch = {
  readonly scope: Scope;
  /** The numbers, from 0, of the lines that match. */
  readonly findLines: (text: string) => Promise<readonly number[]>;
  readonly isTooMuch: (text: string) => boolean;
};

/** How long other work of the process has to wait at most. */
const MAX_BLOCKING_MS = 20;

/**
 * Reads a search as what can be looked for in added lines: a grep as grep reads it, a search that is exact line by line.
 *
 * @throws {AppError} `not_watchable` (400) where it is not exact; `invalid_pattern`, `invalid_query` (400) as grep and search do.
 */
export function readWatch(
  access: Access,
  { kind, query, regex, match_case: isCaseSensitive, file_kind: fileKind, ...where }: SavedQuery,
): Watch {
  const scope = askedScope(access, where);
  if (kind === "grep") {
    const pattern = compilePattern({ source: query, isRegex: regex, isCaseSensitive });
    return { scope, findLines: pattern.findLines, isTooMuch: pattern.isTooMuch };
  }
  if (fileKind !== undefined) {
    throw notWatchable("A search for one kind of files can't be watched; choose them by path.");
  }
  const parsed = parseQuery(query);
  const conditions = compileConditions({ ...parsed, alternatives: exactAlternatives(query, parsed) });
  return {
    scope: { ...scope, filters: scopeFilters(parsed.filters) },
    findLines: async (text) => {
      const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
      const found: number[] = [];
      for (const [index, line] of splitLines(text).entries()) {
        await yieldToEventLoop();
        found.push(...(conditions?.matches(line) === true ? [index] : []));
      }
      return found;
    },
    isTooMuch: () => false,
  };
}

/** Why a search can't be watched; null when it can. */
export function whyNotWatchable(access: Access, query: SavedQuery): string | null {
  try {
    readWatch(access, query);
    return null;
  } catch (error) {
    if (error instanceof AppError) {
      return error.message;
    }
    throw error;
  }
}

function exactAlternatives(query: string, { alternatives, filters, shape, text }: ParsedQuery): readonly (readonly Condition[])[] {
  if (filters.some(({ field }) => field === "symbol")) {
    throw notWatchable("A search with symbol: can't be watched; watch the name itself.");
  }
  if (shape === "symbol" && alternatives.length === 1) {
    const name = text.replace(/\(\)$/, "");
    // A name is a whole word; RE2 knows the borders of ASCII words alone.
    const isAscii = /^\w(?:.*\w)?$/.test(name);
    const source = isAscii ? String.raw`\b${escapeExpression(name)}\b` : name;
    return alternatives.map((conditions) => [{ kind: isAscii ? "regex" : "phrase", source, negated: false }, ...conditions]);
  }
  const hasWords = tokenizeQuery(query.trim()).some((token) => token.kind === "word" && !token.negated);
  if (hasWords || !alternatives.every((conditions) => conditions.some(({ negated }) => !negated))) {
    throw notWatchable('Only what is exact can be watched: a name, "quoted text", a /regular expression/, or a grep.');
  }
  return alternatives;
}

function notWatchable(message: string): AppError {
  return refusal(400, "not_watchable", message);
}
