import { splitTerms } from "#store/index/terms.ts";
import { readConditions, type Condition, readFilters, type QueryFilter } from "./query-filters.ts";
import { findFragments, isProse, memberIn, namesIn, pathIn, findQueryShape, type NamedMember, type Shape } from "./query-shape.ts";
import { tokenizeQuery, type Token } from "./query-operators.ts";
import { isReport, readReport, type MentionedPlace, type Report } from "./read-report.ts";
import { invalidQuery, refuseNul } from "./refusals.ts";
import { listVariants } from "./variants.ts";

/** A word of the query, in the forms that code may use for it. */
export type QueryTerm = {
  /** The word itself first. */
  readonly terms: readonly string[];
  /** Its weight: 1, and less for a stop word. */
  readonly weight: number;
};

export type ParsedQuery = {
  /** The query without its filters; empty when there are only filters. */
  readonly text: string;
  /** What its vector is made of: the text, and of a report the title, since the rest of it is about much else. */
  readonly meant: string;
  readonly shape: Shape;
  readonly queryTerms: readonly QueryTerm[];
  /** Texts to find letter for letter. */
  readonly literals: readonly string[];
  /** Identifiers that the query names; a chunk that defines one is what it asks for. */
  readonly names: readonly string[];
  /** The name that the query is. */
  readonly member: NamedMember | undefined;
  /** Files that the query names. */
  readonly places: readonly MentionedPlace[];
  readonly filters: readonly QueryFilter[];
  /** The sides of OR. A chunk must meet all conditions of one side; a side without conditions is always met. */
  readonly alternatives: readonly (readonly Condition[])[];
  readonly isCaseSensitive: boolean;
  /** Notes for the user on how the query was read. */
  readonly notes: readonly string[];
};

/** Further words of a query are ignored. */
const MAX_QUERY_TERMS = 100;
const MAX_LITERALS = 6;
/** About the length of a chunk: longer texts can't be found literally. */
const MAX_LITERAL_LENGTH = 1_500;

/** Stop words: words that questions are made of. They are searched, since `for` and `if` are code, but count little. */
const STOP_WORDS = new Set(
  `a an and are as at be been being but by can could did do does for from had has have how i if in into is it its me my
  of on or our should so such that the their them then there these they this those to us was we were what when where which
  while who whom why will with would you your code file find function show`.split(/\s+/),
);
const STOP_WORD_WEIGHT = 0.1;

/** Stop words that occur in no name of code; ignored when the question has any other word. */
const IGNORED_STOP_WORDS = new Set(
  `a an are be been being but had how i it its me my our should so such that the their them there these they this those us was we
  were what where which who whom why would you your`.split(/\s+/),
);

/**
 * Reads what a query asks for, as docs/search.md says. What is not the query language is text, so that only
 * queries whose meaning is unclear are errors.
 *
 * @throws {AppError} `invalid_query` (400) when there is nothing to look for in it, or a regular expression can't be read.
 */
export function parseQuery(given: string, { symbol }: { readonly symbol?: string | undefined } = {}): ParsedQuery {
  const text = given.trim();
  if (text === "") {
    throw invalidQuery("The query is empty; say what to look for.");
  }
  refuseNul([text], "The query holds a NUL character, which no source text has.");
  const tokens = withSomethingToFind(tokenizeQuery(text.toWellFormed()));
  const filters = [...readFilters(tokens), ...(symbol === undefined ? [] : [{ field: "symbol" as const, value: symbol, negated: false }])];
  const alternatives = alternativesOf(tokens);
  const asked = tokens.filter(isSearched);
  const symbols = filters.filter(({ field, negated }) => field === "symbol" && !negated).map(({ value }) => value);
  const written = asked.length === tokens.length ? text : asked.map(({ raw }) => raw).join(" ");
  const plain = [...asked.map(plainOf), ...(asked.length === 0 ? symbols.filter((name) => !name.includes("*")) : [])].join(" ").trim();
  const report = isReport(written) ? readReport(written) : undefined;
  const shape = report === undefined ? findQueryShape(written === "" ? plain : written) : "report";
  const isCaseSensitive = caseOf(tokens, asked);
  const conditions = readConditions(alternatives, { shape, isCaseSensitive });
  const named = report?.names ?? namesIn(written, shape).slice(0, MAX_LITERALS);
  const names = [...new Set([...symbols.filter((name) => !name.includes("*")), ...named])];
  return {
    text: plain,
    meant: report?.title ?? plain,
    shape,
    queryTerms: report === undefined ? queryTermsOf(plain, shape) : report.words.map(reportTerm),
    literals:
      report === undefined
        ? literalsOf({ written, plain, asked, names, shape, alternatives })
        : [...report.messages, ...names].slice(0, MAX_LITERALS),
    names,
    member: shape === "path" ? undefined : memberIn(plain),
    places: shape === "path" ? [pathIn(written)] : (report?.places ?? []),
    filters,
    alternatives: conditions.alternatives,
    isCaseSensitive,
    notes: [...conditions.notes, ...notesOn(tokens, alternatives)],
  };
}

/** Whether a term is a stop word. */
export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term);
}

type SearchToken = Extract<Token, { kind: "word" | "phrase" | "regex" }>;

function isSearched(token: Token): token is SearchToken {
  return (token.kind === "word" || token.kind === "phrase" || token.kind === "regex") && !token.negated;
}

/** A query of nothing but exclusions is read as text, as `-Wall` is meant. */
function withSomethingToFind(tokens: readonly Token[]): readonly Token[] {
  const hasSomething = tokens.some((token) => isSearched(token) || (token.kind === "filter" && !token.negated));
  return hasSomething ? tokens : tokens.map(({ raw }) => ({ kind: "word", raw, value: raw, negated: false }));
}

function plainOf({ kind, value }: SearchToken): string {
  // Only the literal words of a regular expression count.
  return kind === "regex" ? value.replaceAll(/\\.|[^\p{L}\p{N}_\s]+/gu, " ").trim() : value;
}

function alternativesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const alternatives: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "or") {
      alternatives.push([]);
    } else {
      alternatives.at(-1)?.push(token);
    }
  }
  const searched = alternatives.filter((alternative) => alternative.some((token) => token.kind !== "filter" && token.kind !== "case"));
  return searched.length === 0 ? [alternatives.flat()] : searched;
}

function caseOf(tokens: readonly Token[], asked: readonly SearchToken[]): boolean {
  const choice = tokens.findLast((token) => token.kind === "case")?.value ?? "no";
  return choice === "yes" || (choice === "auto" && asked.some(({ value }) => /\p{Lu}/u.test(value)));
}

function notesOn(tokens: readonly Token[], alternatives: readonly (readonly Token[])[]): readonly string[] {
  const hasLateFilter = alternatives.slice(1).some((alternative) => alternative.some((token) => token.kind === "filter"));
  const hasGroup =
    alternatives.length > 1 && tokens.some(({ raw }) => /^\(+[^()]*$/.test(raw)) && tokens.some(({ raw }) => /^[^()]*\)+$/.test(raw));
  return [
    ...(hasLateFilter ? ["Filters hold on both sides of OR."] : []),
    ...(hasGroup ? ["Parentheses do not group: OR is between all that stands before it and all that stands after it."] : []),
  ];
}

function queryTermsOf(text: string, shape: Shape): readonly QueryTerm[] {
  const terms = [...new Set(splitTerms(text))].slice(0, MAX_QUERY_TERMS);
  if (!isProse(shape) && shape !== "error") {
    return terms.map((term) => ({ terms: [term], weight: 1 }));
  }
  const contentTerms = terms.filter((term) => !isStopWord(term));
  const kept = contentTerms.length > 0 && shape !== "error" ? terms.filter((term) => !IGNORED_STOP_WORDS.has(term)) : terms;
  return kept.map((term) => ({
    // The words of an error message stand in the code exactly as written.
    terms: isStopWord(term) || shape === "error" ? [term] : [term, ...listVariants(term)],
    // In a query of nothing but stop words they count in full.
    weight: isStopWord(term) && contentTerms.length > 0 ? STOP_WORD_WEIGHT : 1,
  }));
}

function reportTerm({ term, weight }: Report["words"][number]): QueryTerm {
  return { terms: [term, ...listVariants(term)], weight };
}

type Texts = {
  readonly written: string;
  readonly plain: string;
  readonly asked: readonly SearchToken[];
  readonly names: readonly string[];
  readonly shape: Shape;
  readonly alternatives: readonly (readonly Token[])[];
};

function literalsOf({ written, plain, asked, names, shape, alternatives }: Texts): readonly string[] {
  const whole = shape === "symbol" ? written.replace(/\(\)$/, "") : written;
  const sides =
    alternatives.length > 1
      ? alternatives.map((tokens) =>
          tokens
            .filter(isSearched)
            .map(({ value }) => value)
            .join(" "),
        )
      : [];
  const phrases = asked.filter(({ kind }) => kind === "phrase").map(({ value }) => value);
  const quoted = [...written.matchAll(/(["'`])(.{3,200}?)\1/gu)].map((match) => match[2] ?? "");
  const fragments = shape === "error" ? findFragments(written) : [];
  const isExpression = asked.some(({ kind }) => kind === "regex");
  const texts = [...(isExpression ? [] : [whole === "" ? plain : whole]), ...sides, ...phrases, ...fragments, ...quoted, ...names];
  const found = new Set(texts.filter((literal) => literal !== "" && literal.length <= MAX_LITERAL_LENGTH));
  return [...found].slice(0, MAX_LITERALS);
}
