import { type TextValue, type TraceTerm, formatTraceQuery, parseTraceQuery } from "@sightline/observability/contract";
import type { AskedTraces } from "#features/traces/api/list-traces.ts";
import { type TimeRange, findSpan } from "#ui/time/time-range.ts";
import type { ListState } from "#features/traces/list/model/list-state.ts";

/** The values of a field that the query's text asks for, any of them; none when it does not. Patterns are no values. */
export function valuesIn(text: string, field: string): readonly string[] {
  return termsFor(text, field).flatMap((term) => valuesOf(term).flatMap((value) => (value.isPattern ? [] : [value.text])));
}

/** Adds the value to those that the query asks for in this field, or takes it away when it is there. */
export function withToggled(text: string, field: string, value: string): string {
  const terms = termsFor(text, field);
  if (valuesIn(text, field).includes(value)) {
    return terms
      .reduceRight(
        (left, term) =>
          replaced(
            left,
            term,
            valuesOf(term).filter((each) => each.isPattern || each.text !== value),
          ),
        text,
      )
      .trim();
  }
  const added = { text: value, isPattern: false };
  const [first] = terms;
  return first === undefined ? withTerm(text, formatted(field, [added])) : replaced(text, first, [...valuesOf(first), added]);
}

/** The text without what it asks of a field. */
export function withoutField(text: string, field: string): string {
  return without(text, termsFor(text, field));
}

export function withTerm(text: string, term: string): string {
  return text.trim() === "" ? term : `${text.trim()} ${term}`;
}

/** The terms of the text, each with what the text is without it. */
export function splitQuery(text: string): readonly { readonly text: string; readonly rest: string }[] {
  return parseTraceQuery(text).terms.map((term) => ({ text: text.slice(term.from, term.to), rest: without(text, [term]) }));
}

/** What the API is asked for. */
export function toTraceQuery({ q, range, sort, order }: Pick<ListState, "q" | "range" | "sort" | "order">): AskedTraces {
  return { q: withRange(q, range), sort, order };
}

/** The text, and the time range as terms of it. */
export function withRange(text: string, { span, from, to }: TimeRange): string {
  const chosen = findSpan(span);
  const times = [
    ...(chosen === undefined ? [] : [`started:>-${chosen.hours}h`]),
    ...(from === undefined ? [] : [`started:>=${from}`]),
    ...(to === undefined ? [] : [`started:<${to}`]),
  ];
  return [text.trim(), ...times].filter((part) => part !== "").join(" ");
}

function without(text: string, terms: readonly Pick<TraceTerm, "from" | "to">[]): string {
  return terms
    .toReversed()
    .reduce((left, { from, to }) => `${left.slice(0, from).trimEnd()} ${left.slice(to).trimStart()}`, text)
    .trim();
}

type TermOfValues = Extract<TraceTerm, { kind: "text" | "choice" }>;

/** The fields that any of some values satisfies. */
function termsFor(text: string, field: string): readonly TermOfValues[] {
  return parseTraceQuery(text).terms.flatMap((term) =>
    (term.kind === "text" || term.kind === "choice") && term.field === field && !term.isNegated ? [term] : [],
  );
}

function valuesOf({ values }: TermOfValues): readonly TextValue[] {
  return values.map((value) => (typeof value === "string" ? { text: value, isPattern: false } : value));
}

function formatted(field: string, values: readonly TextValue[]): string {
  return formatTraceQuery([{ kind: "text", field, values, isNegated: false }]);
}

/** The text with other values in a term, and without the term when there is none. */
function replaced(text: string, term: TermOfValues, values: readonly TextValue[]): string {
  return values.length === 0 ? without(text, [term]) : `${text.slice(0, term.from)}${formatted(term.field, values)}${text.slice(term.to)}`;
}
