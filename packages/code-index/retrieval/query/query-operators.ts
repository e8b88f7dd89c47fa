/** A token of a query; `raw` is how it was written. */
export type Token = Word | Quoted | Filter | Case | Or;

type Written = { readonly raw: string };
type Word = Written & { readonly kind: "word"; readonly value: string; readonly negated: boolean };
type Quoted = Written & { readonly kind: "phrase" | "regex"; readonly value: string; readonly negated: boolean };
type Filter = Written & { readonly kind: "filter"; readonly field: FilterField; readonly value: string; readonly negated: boolean };
type Case = Written & { readonly kind: "case"; readonly value: "yes" | "no" | "auto" };
type Or = Written & { readonly kind: "or" };

export type FilterField = "repo" | "ref" | "path" | "lang" | "symbol";

const FIELDS: ReadonlyMap<string, FilterField> = new Map([
  ["repo", "repo"],
  ["r", "repo"],
  ["ref", "ref"],
  ["branch", "ref"],
  ["b", "ref"],
  ["path", "path"],
  ["file", "path"],
  ["f", "path"],
  ["lang", "lang"],
  ["language", "lang"],
  ["symbol", "symbol"],
  ["sym", "symbol"],
]);

const CASES: readonly Case["value"][] = ["yes", "no", "auto"];

/**
 * Splits a query into tokens. It never fails: what is no valid operator, such as an unclosed quote, is plain text. A text of
 * several lines was pasted and has no operators at all.
 */
export function tokenizeQuery(text: string): readonly Token[] {
  if (/[\n\r]/.test(text)) {
    return [{ kind: "word", raw: text, value: text, negated: false }];
  }
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/u.test(text.charAt(at))) {
      at++;
      continue;
    }
    const token = tokenAt(text, at);
    tokens.push(token);
    at += token.raw.length;
  }
  return tokens;
}

function tokenAt(text: string, start: number): Token {
  const raw = wordAt(text, start);
  if (raw === "OR") {
    return { kind: "or", raw };
  }
  const negated = text.charAt(start) === "-";
  const at = negated ? start + 1 : start;
  const operator = quotedAt(text, at) ?? regexAt(text, at) ?? filterAt(text, at, negated);
  if (operator !== undefined) {
    return { ...operator, raw: text.slice(start, operator.end), negated };
  }
  if (negated) {
    // `-1`, `-v` and `--verbose` are arguments of commands, not exclusions.
    const value = raw.slice(1);
    return /^[\p{L}_$@][^\s]/u.test(value)
      ? { kind: "word", raw, value, negated: true }
      : { kind: "word", raw, value: raw, negated: false };
  }
  const [, choice = ""] = /^case:(.*)$/i.exec(raw) ?? [];
  const value = CASES.find((known) => known === choice.toLowerCase());
  return value === undefined ? { kind: "word", raw, value: raw, negated: false } : { kind: "case", raw, value };
}

function wordAt(text: string, start: number): string {
  return /\S*/uy.exec(text.slice(start))?.[0] ?? "";
}

/** Longer quotes and expressions are read as plain text. */
const MAX_QUOTED_LENGTH = 2_000;

type Found<Kind> = { readonly kind: Kind; readonly value: string; readonly end: number };

/** `"…"` up to a quote that ends the word; `\"` is a quote inside. */
function quotedAt(text: string, start: number): Found<"phrase"> | undefined {
  const inner = enclosedAt(text, start, '"');
  return inner === undefined ? undefined : { kind: "phrase", value: inner.replaceAll(/\\(["\\])/g, "$1"), end: start + inner.length + 2 };
}

/** `/…/` whose first slash that is neither escaped nor in brackets ends the word: `/usr/lib/` is a path. */
function regexAt(text: string, start: number): Found<"regex"> | undefined {
  const inner = enclosedAt(text, start, "/");
  return inner === undefined ? undefined : { kind: "regex", value: inner.replaceAll(String.raw`\/`, "/"), end: start + inner.length + 2 };
}

/** What stands between a delimiter and the next one, when that ends the word. */
function enclosedAt(text: string, start: number, delimiter: '"' | "/"): string | undefined {
  if (text.charAt(start) !== delimiter) {
    return undefined;
  }
  let inBrackets = false;
  const end = Math.min(text.length, start + MAX_QUOTED_LENGTH);
  for (let at = start + 1; at < end; at++) {
    const letter = text.charAt(at);
    if (letter === "\\") {
      at++;
    } else if (letter === delimiter && !inBrackets) {
      return at > start + 1 && endsWord(text, at) ? text.slice(start + 1, at) : undefined;
    } else if (delimiter === "/" && (letter === "[" || letter === "]")) {
      inBrackets = letter === "[";
    }
  }
  return undefined;
}

type FoundFilter = Found<"filter"> & { readonly field: FilterField };

function filterAt(text: string, start: number, negated: boolean): FoundFilter | undefined {
  const [name = "", key = ""] = /([a-z]{1,10}):/iy.exec(text.slice(start, start + 12)) ?? [];
  const field = FIELDS.get(key.toLowerCase());
  if (field === undefined) {
    return undefined;
  }
  const at = start + name.length;
  const quoted = quotedAt(text, at);
  const value = quoted?.value ?? wordAt(text, at);
  // `file:///tmp/x` is an address and `path::new` code.
  const isText = value === "" || value.startsWith("//") || value.startsWith(":") || (negated && value.startsWith("-"));
  return isText ? undefined : { kind: "filter", field, value, end: quoted?.end ?? at + value.length };
}

function endsWord(text: string, at: number): boolean {
  return at + 1 === text.length || /\s/u.test(text.charAt(at + 1));
}
