import type { ScopeFilters } from "#store/tenancy/read-scope.store.ts";
import type { FilterField, Token } from "./query-operators.ts";
import { invalidQuery } from "./refusals.ts";
import { holdsCodeName, isProse, type Shape } from "./query-shape.ts";

/** One filter of a query. */
export type QueryFilter = { readonly field: FilterField; readonly value: string; readonly negated: boolean };

/** More make every leg slow, and nobody writes as many by hand. */
const MAX_FILTERS = 50;
/** As long as a path may be. */
const MAX_FILTER_LENGTH = 1_000;

/**
 * The filters of a query, with a language by its name in the index.
 *
 * @throws {AppError} `invalid_query` (400) when there are too many, or one is too long.
 */
export function readFilters(tokens: readonly Token[]): readonly QueryFilter[] {
  const filters = tokens.flatMap((token) =>
    token.kind === "filter"
      ? [{ field: token.field, value: token.field === "lang" ? languageNamed(token.value) : token.value, negated: token.negated }]
      : [],
  );
  if (filters.length > MAX_FILTERS) {
    throw invalidQuery(`The query has ${filters.length} filters; at most ${MAX_FILTERS} are taken.`);
  }
  if (filters.some(({ value }) => value.length > MAX_FILTER_LENGTH)) {
    throw invalidQuery(`A filter is longer than ${MAX_FILTER_LENGTH} characters.`);
  }
  return filters;
}

/** The same filter twice asks for either; a negated one excludes; different ones all hold. */
export function scopeFilters(filters: readonly QueryFilter[]): ScopeFilters {
  const wanted = (field: FilterField) => {
    const values = (negated: boolean) =>
      filters.filter((filter) => filter.field === field && filter.negated === negated).map(({ value }) => value);
    return { anyOf: values(false), noneOf: values(true) };
  };
  return { repo: wanted("repo"), ref: wanted("ref"), path: wanted("path"), lang: wanted("lang"), symbol: wanted("symbol") };
}

/** Other names of languages, by the index's own. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  bash: ["sh", "shell", "zsh"],
  clojure: ["clj"],
  cpp: ["c++", "cc", "cxx"],
  csharp: ["c#", "cs"],
  css: ["scss", "less"],
  dockerfile: ["docker"],
  elixir: ["ex"],
  erlang: ["erl"],
  fsharp: ["f#"],
  go: ["golang"],
  haskell: ["hs"],
  javascript: ["js", "jsx", "node"],
  julia: ["jl"],
  kotlin: ["kt"],
  makefile: ["make"],
  markdown: ["md"],
  "objective-c": ["objc", "objective-c++"],
  powershell: ["ps1"],
  protobuf: ["proto"],
  python: ["py"],
  restructuredtext: ["rst"],
  ruby: ["rb"],
  rust: ["rs"],
  solidity: ["sol"],
  terraform: ["tf", "hcl"],
  text: ["txt", "plaintext"],
  typescript: ["ts"],
  "visual-basic": ["vb"],
  yaml: ["yml"],
};
const LANGUAGES = new Map(Object.entries(OTHER_NAMES).flatMap(([language, names]) => names.map((name) => [name, language])));

/** The index's name of a language: `py`, `Python` and `python` are one. */
export function languageNamed(given: string): string {
  const name = given.toLowerCase();
  return LANGUAGES.get(name) ?? name;
}

/** Something that the text of a result must hold, or must not. */
export type Condition = {
  readonly kind: "phrase" | "regex" | "word";
  readonly source: string;
  readonly negated: boolean;
};

type Reading = { readonly shape: Shape; readonly isCaseSensitive: boolean };

type Read = { readonly alternatives: readonly (readonly Condition[])[]; readonly notes: readonly string[] };

/**
 * The conditions of each alternative: quoted texts, regular expressions and what is excluded; every name and word of code, too,
 * where `case:` is set. Quotes within an error message belong to the message.
 */
export function readConditions(alternatives: readonly (readonly Token[])[], { shape, isCaseSensitive }: Reading): Read {
  const isMessage = shape === "error" && alternatives.some((tokens) => tokens.some(({ kind }) => kind === "word"));
  const isName = (value: string) => !isProse(shape) || holdsCodeName(value);
  const read = alternatives.map((tokens) =>
    tokens.flatMap((token): readonly Condition[] => {
      if (token.kind === "word" && (token.negated || (isCaseSensitive && isName(token.value)))) {
        return [{ kind: "word", source: token.value, negated: token.negated }];
      }
      if (token.kind === "regex" || (token.kind === "phrase" && (token.negated || !isMessage))) {
        return [{ kind: token.kind, source: token.value, negated: token.negated }];
      }
      return [];
    }),
  );
  const isSoft = isMessage && alternatives.some((tokens) => tokens.some((token) => token.kind === "phrase" && !token.negated));
  return {
    alternatives: read,
    notes: isSoft ? ["This reads like an error message: what is quoted in it is looked for, but a result need not hold it."] : [],
  };
}
