import { translateGlob } from "@sightline/foundation/patterns";
import { RE2JS } from "re2js";
import type { Facet, FileKind, SearchAnswer, SearchResult } from "#contract.ts";
import type { RepositoryInScope, Scope } from "#store/tenancy/read-scope.store.ts";
import { splitTerms } from "#store/index/terms.ts";
import { listSome } from "#retrieval/scope/repository-errors.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { findFileKind } from "#retrieval/ranking/file-kind.ts";
import type { RankedChunk, Texts } from "#retrieval/ranking/rank.ts";
import { lineMatcher } from "./matched-lines.ts";

/** Characters of a chunk in an answer. */
const CONTENT = 8_000;

type Presenting = { readonly query: ParsedQuery; readonly explain: boolean };

export function presentResults(chunks: readonly RankedChunk[], texts: Texts, { query, explain }: Presenting): SearchResult[] {
  const matchesOf = lineMatcher(query);
  return chunks.map((chunk) => {
    const content = texts.get(chunk.chunk_id) ?? "";
    const matches = matchesOf(content);
    return {
      repo: chunk.repo,
      ref: chunk.ref,
      commit: chunk.commit,
      path: chunk.path,
      language: chunk.language,
      start_line: chunk.start_line,
      end_line: chunk.end_line,
      symbol: symbolFor(chunk.symbols, query),
      ...(chunk.also === undefined ? {} : { also: joinAdjoining(chunk.also) }),
      content: content.slice(0, CONTENT),
      matched_lines: matches.map(({ index }) => chunk.start_line + index),
      matched_ranges: matches.map(({ ranges }) => ranges.map(([from, to]) => [from, to])),
      score: rounded(chunk.score),
      legs: chunk.ranks,
      ...(explain
        ? { explain: { fused: rounded(chunk.fused), factors: roundedAll(chunk.explain()), commits_say: [...chunk.matchedCommitTerms] } }
        : {}),
    };
  });
}

type Lines = { start_line: number; end_line: number };

/** In their order in the file. */
function joinAdjoining(places: readonly Readonly<Lines>[]): Lines[] {
  const joined: Lines[] = [];
  for (const { start_line: start, end_line: end } of places.toSorted((one, other) => one.start_line - other.start_line)) {
    const before = joined.at(-1);
    if (before !== undefined && start <= before.end_line + 1) {
      before.end_line = Math.max(before.end_line, end);
    } else {
      joined.push({ start_line: start, end_line: end });
    }
  }
  return joined;
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

/** Values of a facet. */
const FACET = 12;

/** What the ranked places are of; of which kinds all that were ranked are. */
export function presentFacets({ ranked, ofAllKinds }: Ranked): SearchAnswer["facets"] {
  return {
    repo: facetOf(ranked.map(({ repo }) => repo)),
    lang: facetOf(ranked.map(({ language }) => language)),
    path: facetOf(foldersOf(ranked.map(({ path }) => path))),
    kind: facetOf(ofAllKinds.map(({ path }): FileKind => findFileKind(path))),
  };
}

type Ranked = { readonly ranked: readonly RankedChunk[]; readonly ofAllKinds: readonly RankedChunk[] };

function facetOf(values: readonly string[]): Facet {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, { length }]) => ({ value, count: length }))
    .toSorted((one, other) => other.count - one.count || one.value.localeCompare(other.value))
    .slice(0, FACET);
}

/** The folder of each path below the one that all of them are in; a file there has none. */
function foldersOf(paths: readonly string[]): readonly string[] {
  // Of sorted paths the first and the last differ the most.
  const sorted = paths.toSorted();
  const [first = "", last = ""] = [sorted[0], sorted.at(-1)];
  let same = 0;
  while (same < first.length && first[same] === last[same]) {
    same++;
  }
  const from = first.lastIndexOf("/", same - 1) + 1;
  return paths.flatMap((path) => {
    const end = path.indexOf("/", from);
    return end === -1 ? [] : [path.slice(0, end + 1)];
  });
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

/** Names that stand among imports and say nothing of what is below them: a type's parameter, what a module exports. */
const UNTELLING = /^(?:\p{L}|__all__)$/u;

/** The name a chunk defines that is nearest to the query: one it names, or the one with the most of its words. */
function symbolFor(symbols: readonly string[], { names, queryTerms, filters }: ParsedQuery): string | null {
  const asked = new Set(names.map((name) => name.toLowerCase()));
  const globs = filters.filter(({ field, negated }) => field === "symbol" && !negated).map(({ value }) => globExpression(value));
  const words = new Set(queryTerms.flatMap((queryTerm) => queryTerm.terms));
  const nearness = (symbol: string) =>
    asked.has(symbol.toLowerCase()) || globs.some((glob) => glob.test(symbol))
      ? CERTAIN
      : splitTerms(symbol).filter((term) => words.has(term)).length;
  const titles = symbols.filter((symbol) => nearness(symbol) === CERTAIN || !UNTELLING.test(symbol));
  return titles.toSorted((one, other) => nearness(other) - nearness(one))[0] ?? null;
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
