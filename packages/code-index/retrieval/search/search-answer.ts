import { translateGlob } from "@sightline/foundation/patterns";
import { RE2JS } from "re2js";
import type { SearchAnswer, SearchResult } from "#contract.ts";
import type { RepositoryInScope, Scope } from "#store/tenancy/read-scope.store.ts";
import { termsOf } from "#store/index/terms.ts";
import { listSome } from "#retrieval/scope/repository-errors.ts";
import { type ParsedQuery, isStopWord } from "#retrieval/query/query.ts";
import type { RankedChunk, Texts } from "#retrieval/ranking/rank.ts";
import { compilePattern } from "#retrieval/patterns/compile-pattern.ts";

/** Most matching lines of a result. */
const LINES = 20;

type Text = { readonly start_line: number; readonly content: string };

/**
 * Says the numbers of the lines that hold a literal of the query, or match one of its regular expressions, or, when none does, hold
 * one of its words.
 */
function lineMatcher({ literals, queryTerms, alternatives, isCaseSensitive }: ParsedQuery): (text: Text) => number[] {
  const lowered = literals.map((literal) => literal.toLowerCase());
  const expressions = alternatives
    .flat()
    .filter(({ kind, negated }) => kind === "regex" && !negated)
    .map(({ source }) => compilePattern({ source, isRegex: true, isCaseSensitive }));
  const words = new Set(queryTerms.flatMap((queryTerm) => queryTerm.terms).filter((term) => !isStopWord(term)));
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

/** Characters of a chunk in an answer. */
const CONTENT = 8_000;

type Presenting = { readonly query: ParsedQuery; readonly explain: boolean };

export function presentResults(chunks: readonly RankedChunk[], texts: Texts, { query, explain }: Presenting): SearchResult[] {
  const matchedLines = lineMatcher(query);
  return chunks.map((chunk) => {
    const content = texts.get(chunk.chunk_id) ?? "";
    return {
      repo: chunk.repo,
      ref: chunk.ref,
      commit: chunk.commit,
      path: chunk.path,
      language: chunk.language,
      start_line: chunk.start_line,
      end_line: chunk.end_line,
      symbol: symbolFor(chunk.symbols, query),
      content: content.slice(0, CONTENT),
      matched_lines: matchedLines({ start_line: chunk.start_line, content }),
      score: rounded(chunk.score),
      legs: chunk.ranks,
      ...(explain ? { explain: { fused: rounded(chunk.fused), factors: roundedAll(chunk.explain()) } } : {}),
    };
  });
}

export function presentQuery({ shape, text, filters, alternatives, isCaseSensitive }: ParsedQuery): SearchAnswer["query"] {
  return {
    shape,
    text,
    filters: [...filters],
    conditions: alternatives.flatMap((conditions, alternative) =>
      conditions.map(({ kind, source, negated }) => ({ kind, value: source, negated, alternative })),
    ),
    alternatives: alternatives.length,
    case_sensitive: isCaseSensitive,
  };
}

/** Up to this many indexes are all named; of more only those with results. */
const FEW = 20;

/** The commits that were searched. */
export function presentIndex(
  searched: readonly RepositoryInScope[],
  results: readonly Pick<SearchResult, "repo" | "ref">[],
): SearchAnswer["index"] {
  const found = new Set(results.map(({ repo, ref }) => `${repo}\0${ref}`));
  return searched
    .filter(({ repo, ref }) => searched.length <= FEW || found.has(`${repo}\0${ref}`))
    .flatMap(({ repo, ref, commit, indexed_at: indexedAt, behind }) =>
      ref === null || commit === null || indexedAt === null
        ? []
        : [{ repo, ref, commit, indexed_at: indexedAt.toISOString(), behind: behind ?? 0 }],
    );
}

/** Names in a note. */
export const NAMED = 5;

/** Notes on repositories that were not searched, or not at their newest commit. */
export function notesOnIndex(found: readonly RepositoryInScope[], scope: Scope): readonly string[] {
  const missing = found.filter(({ generation }) => generation === null).map(({ repo }) => repo);
  const behind = found.filter((repository) => repository.generation !== null && (repository.behind ?? 0) > 0).map(({ repo }) => repo);
  const asksForRef = scope.ref !== undefined || (scope.filters?.ref.anyOf.length ?? 0) > 0;
  return [
    ...(missing.length === 0
      ? []
      : [`${asksForRef ? "Not indexed with that branch" : "Not searchable yet"}: ${listSome(missing, NAMED)}.`]),
    ...(behind.length === 0 ? [] : [`Newer pushes are not searchable yet in ${listSome(behind, NAMED)}.`]),
  ];
}

/** The name a chunk defines that is nearest to the query: one it names, or the one with the most of its words. */
function symbolFor(symbols: readonly string[], { names, queryTerms, filters }: ParsedQuery): string | null {
  const asked = new Set(names.map((name) => name.toLowerCase()));
  const globs = filters.filter(({ field, negated }) => field === "symbol" && !negated).map(({ value }) => globExpression(value));
  const words = new Set(queryTerms.flatMap((queryTerm) => queryTerm.terms));
  const nearness = (symbol: string) =>
    asked.has(symbol.toLowerCase()) || globs.some((glob) => glob.test(symbol))
      ? CERTAIN
      : termsOf(symbol).filter((term) => words.has(term)).length;
  return symbols.toSorted((one, other) => nearness(other) - nearness(one))[0] ?? null;
}

/** As `globPattern` of the store reads it. */
function globExpression(glob: string): RE2JS {
  // In linear time, however many stars there are.
  return RE2JS.compile(
    `^${translateGlob(glob, { any: ".*", one: ".", quote: (text) => RE2JS.quote(text) })}$`,
    RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL,
  );
}

/** More than a name has words. */
const CERTAIN = 1_000;

function roundedAll(factors: ReturnType<RankedChunk["explain"]>): Record<string, number> {
  return Object.fromEntries(Object.entries(factors).map(([name, factor]) => [name, rounded(factor)]));
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
