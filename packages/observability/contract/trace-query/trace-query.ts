import { findTraceField, type TraceField, NAMED_FIELDS, noSuchField, notReadAs } from "./fields.ts";
import { endOfQuote, escaped, isWhollyQuoted, openQuote, unquote } from "./quotes.ts";
import {
  formatNumberRange,
  formatTimeRange,
  readNumberRange,
  readTimeRange,
  type NumberRange,
  type Read,
  type TimeRange,
} from "./values.ts";

export { TRACE_FIELDS, type TraceField, type TraceFieldType } from "./fields.ts";
export { toMoments, type NumberRange, type TimeRange } from "./values.ts";

/** The most characters and terms of a query. */
export const MAX_TRACE_QUERY_LENGTH = 2_000;
export const MAX_TRACE_TERMS = 50;
const MAX_VALUES = 50;

/** One value of a text field. In a pattern `*` stands for any characters. */
export type TextValue = { readonly text: string; readonly isPattern: boolean };

/** All terms must be true of a trace; of the values of one term, any. */
export type TraceTerm = {
  readonly isNegated: boolean;
  /** Where it stands in the text: from this character up to, not including, that one. */
  readonly from: number;
  readonly to: number;
} & (
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "text"; readonly field: string; readonly values: readonly TextValue[] }
  | { readonly kind: "choice"; readonly field: string; readonly values: readonly string[] }
  /** `score` is the score's name when `field` is `score`. */
  | { readonly kind: "number"; readonly field: string; readonly score?: string; readonly ranges: readonly NumberRange[] }
  | { readonly kind: "time"; readonly field: string; readonly ranges: readonly TimeRange[] }
);

export type TraceQueryError = { readonly from: number; readonly to: number; readonly message: string };
export type TraceQuery = { readonly terms: readonly TraceTerm[]; readonly errors: readonly TraceQueryError[] };

const HAS_WORD = /[\p{L}\p{N}_]/u;
const NO_WORD = "Write a word with letters or digits, or a field: status:failure.";
const WHOLE = "Words are found whole. * works in fields: name:refund*.";

type Piece = { readonly from: number; readonly to: number; readonly text: string; readonly isQuoted: boolean };
type Without<Term, Key extends string> = Term extends unknown ? Omit<Term, Key> : never;
type TermBody = Without<TraceTerm, "from" | "to" | "isNegated">;

/**
 * Reads the query of a list of traces. Never throws: what cannot be read is in `errors`, with where it stands and what to write
 * instead, and the other terms are there all the same.
 *
 * @example
 * parseTraceQuery('status:failure duration:>5s -user:robot* "order 42"').terms.length; // 5: two of them are words
 */
export function parseTraceQuery(text: string): TraceQuery {
  if (text.length > MAX_TRACE_QUERY_LENGTH) {
    const message = `The query is longer than ${MAX_TRACE_QUERY_LENGTH} characters. Write less.`;
    return { terms: [], errors: [{ from: MAX_TRACE_QUERY_LENGTH, to: text.length, message }] };
  }
  const terms: TraceTerm[] = [];
  const errors: TraceQueryError[] = [];
  for (const { from, to } of splitTerms(text)) {
    if (terms.length + errors.length >= MAX_TRACE_TERMS) {
      errors.push({ from, to: text.length, message: `There are more than ${MAX_TRACE_TERMS} terms. Write fewer.` });
      break;
    }
    const isNegated = text[from] === "-" && to - from > 1;
    const read = readTerm(text, isNegated ? from + 1 : from, to);
    if ("message" in read) {
      errors.push(read);
    } else {
      terms.push({ ...read, isNegated, from, to });
    }
  }
  return { terms, errors };
}

/** The text of terms: read again, it gives the same terms. */
export function formatTraceQuery(terms: readonly Without<TraceTerm, "from" | "to">[]): string {
  return terms.map((term) => `${term.isNegated ? "-" : ""}${formatTerm(term)}`).join(" ");
}

/** A value as it is written behind a field, in quotes where it needs them. */
export function quoteTraceValue(value: string): string {
  return /^[^\s",*\\:<>-][^\s",*\\]*$/u.test(value) ? value : `"${escaped(value)}"`;
}

/** Terms are parted by white space outside of quotes. */
function splitTerms(text: string): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let at = 0;
  while (at < text.length) {
    if (isSpace(text[at])) {
      at += 1;
      continue;
    }
    const from = at;
    while (at < text.length && !isSpace(text[at])) {
      at = text[at] === '"' ? endOfQuote(text, at) : at + 1;
    }
    found.push({ from, to: at });
  }
  return found;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}

function readTerm(text: string, from: number, to: number): TermBody | TraceQueryError {
  const whole = text.slice(from, to);
  const open = openQuote(whole);
  if (open !== -1) {
    return { from: from + open, to, message: 'Close the quotes with ".' };
  }
  const [head = "", name = "", part] = /^([a-zA-Z_]+)(?:\.((?:"(?:[^"\\]|\\.)*")|[^\s":]*))?:/u.exec(whole) ?? [];
  if (head === "") {
    return readWords(whole, from, to);
  }
  const field = findTraceField(name.toLowerCase());
  if (field === undefined || NAMED_FIELDS.has(field.name) !== (part !== undefined)) {
    return { from, to: from + head.length, message: noSuchField(name, field) };
  }
  const pieces = splitValues(text, from + head.length, to);
  const empty = pieces.find((piece) => piece.text === "");
  if (empty !== undefined) {
    return {
      from: empty.from,
      to: Math.max(empty.to, empty.from + (empty.from < to ? 1 : 0)),
      message: `Write a value: ${field.example}.`,
    };
  }
  if (pieces.length > MAX_VALUES) {
    return { from, to, message: `Name at most ${MAX_VALUES} values.` };
  }
  if (field.name === "score") {
    const score = unquote(part ?? "");
    return score === ""
      ? { from, to: from + head.length, message: "Name the score: score.helpful:>0.5." }
      : readValues(
          pieces,
          (piece) => readNumberRange(piece.text, "count"),
          (ranges) => ({ kind: "number", field: "score", score, ranges }),
        );
  }
  if (part !== undefined && !/^[\w.-]+$/.test(part)) {
    return { from, to: from + head.length, message: noSuchField(name, field) };
  }
  return readField(part === undefined ? field : { ...field, name: `${field.name}.${part}` }, pieces);
}

function readField(field: TraceField, pieces: readonly Piece[]): TermBody | TraceQueryError {
  switch (field.type) {
    case "text":
      return readValues(pieces, field.name === "text" || field.name.startsWith("args.") ? readWhole : readText, (values) => ({
        kind: "text",
        field: field.name,
        values,
      }));
    case "choice":
      return readValues(
        pieces,
        (piece) => readChoice(field, piece),
        (values) => ({ kind: "choice", field: field.name, values }),
      );
    case "time":
      return readValues(
        pieces,
        ({ text }) => readTimeRange(text),
        (ranges) => ({ kind: "time", field: field.name, ranges }),
      );
    case "duration":
    case "money":
    case "count":
      return readValues(
        pieces,
        ({ text }) => readNumberRange(text, field.type),
        (ranges) => ({ kind: "number", field: field.name, ranges }),
      );
    default:
      return field.type satisfies never;
  }
}

function readValues<Value>(
  pieces: readonly Piece[],
  read: (piece: Piece) => Read<Value>,
  toTerm: (values: readonly Value[]) => TermBody,
): TermBody | TraceQueryError {
  const values: Value[] = [];
  for (const piece of pieces) {
    const result = read(piece);
    if ("message" in result) {
      return { from: piece.from, to: piece.to, message: result.message };
    }
    values.push(result.value);
  }
  return toTerm(values);
}

function readText({ text, isQuoted }: Piece): Read<TextValue> {
  if (!isQuoted && text.includes('"')) {
    return { message: "Put the whole value in quotes, or none of it." };
  }
  return { value: { text, isPattern: !isQuoted && text.includes("*") } };
}

/** A value that is found by its words, or as it is, whole. */
function readWhole(piece: Piece): Read<TextValue> {
  const read = readText(piece);
  if ("value" in read && read.value.isPattern) {
    return { message: WHOLE };
  }
  return HAS_WORD.test(piece.text) ? read : { message: NO_WORD };
}

function readChoice({ name, options = [] }: TraceField, { text }: Piece): Read<string> {
  const found = options.find((option) => option === text.toLowerCase());
  return found === undefined ? { message: `${name} can be ${options.join(", ")}.` } : { value: found };
}

function readWords(whole: string, from: number, to: number): TermBody | TraceQueryError {
  const isQuoted = isWhollyQuoted(whole);
  if (!isQuoted && whole.includes('"')) {
    return { from, to, message: "Put the whole text in quotes, or none of it." };
  }
  if (!isQuoted && whole.includes("*")) {
    return { from, to, message: WHOLE };
  }
  const notRead = isQuoted ? undefined : notReadAs(whole);
  if (notRead !== undefined) {
    return { from, to, message: notRead };
  }
  const text = unquote(whole);
  if (!HAS_WORD.test(text)) {
    return { from, to, message: NO_WORD };
  }
  return { kind: "words", text };
}

/** Values are parted by commas outside of quotes. */
function splitValues(text: string, from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let [start, at] = [from, from];
  while (at <= to) {
    if (at === to || text[at] === ",") {
      const written = text.slice(start, at);
      pieces.push({ from: start, to: at, text: isWhollyQuoted(written) ? unquote(written) : written, isQuoted: isWhollyQuoted(written) });
      start = at + 1;
    }
    at = text[at] === '"' ? endOfQuote(text, at) : at + 1;
  }
  return pieces;
}

function formatTerm(term: Without<TraceTerm, "from" | "to">): string {
  switch (term.kind) {
    case "words":
      return /[\s":*\\]|^-/u.test(term.text) || notReadAs(term.text) !== undefined ? `"${escaped(term.text)}"` : term.text;
    case "text":
      return `${term.field}:${term.values.map(({ text, isPattern }) => (isPattern ? text : quoteTraceValue(text))).join(",")}`;
    case "choice":
      return `${term.field}:${term.values.join(",")}`;
    case "time":
      return `${term.field}:${term.ranges.map(formatTimeRange).join(",")}`;
    case "number": {
      const type = findTraceField(term.field)?.type ?? "count";
      const name = term.score === undefined ? "" : `.${/^[\w-]+$/u.test(term.score) ? term.score : `"${escaped(term.score)}"`}`;
      return `${term.field}${name}:${term.ranges.map((range) => formatNumberRange(range, type)).join(",")}`;
    }
    default:
      return term satisfies never;
  }
}
