/** A filter as it stands in the text of a query. */
export type WrittenFilter = {
  readonly field: FilterField;
  readonly value: string;
  readonly negated: boolean;
  /** Where in the text it is. */
  readonly start: number;
  readonly end: number;
};

export const FILTER_FIELDS = ["repo", "path", "lang", "ref", "symbol"] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** The other spellings that the API takes. */
const FIELDS: Readonly<Record<string, FilterField>> = {
  repo: "repo",
  r: "repo",
  path: "path",
  file: "path",
  f: "path",
  lang: "lang",
  language: "lang",
  ref: "ref",
  branch: "ref",
  b: "ref",
  symbol: "symbol",
  sym: "symbol",
};

const FILTER = /(?<=^|\s)(-?)([a-z]{1,10}):("(?:[^"\\]|\\.)*"(?=\s|$)|(?![:"]|\/\/)\S+)/giu;

/** The filters that a query's text has; the API decides what else it means. */
export function filtersIn(text: string): readonly WrittenFilter[] {
  return [...text.matchAll(FILTER)].flatMap((match) => {
    const [whole, minus = "", key = "", value = ""] = match;
    const field = FIELDS[key.toLowerCase()];
    return field === undefined
      ? []
      : [{ field, value: unquoted(value), negated: minus === "-", start: match.index, end: match.index + whole.length }];
  });
}

/** The text without one of its filters. */
export function withoutFilter(text: string, { start, end }: Pick<WrittenFilter, "start" | "end">): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}

/** What a word that is being typed may become, and the part of the text that it would replace. */
export type Completion = { readonly start: number; readonly end: number; readonly options: readonly CompletionOption[] };
export type CompletionOption = { readonly text: string; readonly explains: string };

export type Completable = Readonly<Partial<Record<FilterField, readonly string[]>>>;

const EXPLANATIONS: Readonly<Record<FilterField, string>> = {
  repo: "in repositories of that name",
  path: "in files whose path contains it; * and ** match anything",
  lang: "in files of a language",
  ref: "on a branch",
  symbol: "where that name is defined",
};
const MAX_OPTIONS = 8;

/** Completes the filter, or the beginning of its name, that ends at the caret. */
export function completionAt(text: string, caret: number, known: Completable): Completion | undefined {
  const word = /\S*$/u.exec(text.slice(0, caret))?.[0] ?? "";
  const [, minus = "", key = "", colon = "", begun = ""] = /^(-?)([a-z]*)(:?)(.*)$/isu.exec(word) ?? [];
  const options = colon === "" ? fieldOptions(minus, key.toLowerCase()) : valueOptions(`${minus}${key}:`, key.toLowerCase(), begun, known);
  return options.length === 0 ? undefined : { start: caret - word.length, end: caret, options };
}

function fieldOptions(minus: string, begun: string): readonly CompletionOption[] {
  if (begun.length < 2 && minus === "") {
    return [];
  }
  return FILTER_FIELDS.filter((field) => field.startsWith(begun)).map((field) => ({
    text: `${minus}${field}:`,
    explains: minus === "" ? EXPLANATIONS[field] : `not ${EXPLANATIONS[field]}`,
  }));
}

function valueOptions(prefix: string, key: string, begun: string, known: Completable): readonly CompletionOption[] {
  const field = FIELDS[key];
  const values = field === undefined ? [] : (known[field] ?? []);
  const wanted = begun.replace(/^"/, "").toLowerCase();
  return values
    .filter((value) => value.toLowerCase().includes(wanted) && value.toLowerCase() !== wanted)
    .toSorted((one, other) => Number(other.toLowerCase().startsWith(wanted)) - Number(one.toLowerCase().startsWith(wanted)))
    .slice(0, MAX_OPTIONS)
    .map((value) => ({ text: `${prefix}${/\s/u.test(value) ? JSON.stringify(value) : value} `, explains: "" }));
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : value;
}
