import { type ObservationStatus, type TraceTerm, observationStatusSchema, parseTraceQuery } from "@sightline/observability/contract";
import type { AskedTraces } from "#features/traces/api/list-traces.ts";
import { type TimeRange, spanOf } from "#ui/time/time-range.ts";
import type { ListState } from "#features/traces/list/list-state.ts";

/** The statuses that the query's text asks for; none when it does not, or when it is about more than that. */
export function statusesIn(text: string): readonly ObservationStatus[] {
  return statusTerms(text).flatMap(({ values }) => values.flatMap((value) => observationStatusSchema.safeParse(value).data ?? []));
}

/** The same text asking for these statuses instead, in one term at its beginning. */
export function withStatuses(text: string, statuses: readonly ObservationStatus[]): string {
  const rest = without(text, statusTerms(text));
  return statuses.length === 0 ? rest : `status:${statuses.join(",")} ${rest}`.trim();
}

export function withTerm(text: string, term: string): string {
  return text.trim() === "" ? term : `${text.trim()} ${term}`;
}

/** The terms of the text, each with what the text is without it. */
export function partsOf(text: string): readonly { readonly text: string; readonly rest: string }[] {
  return parseTraceQuery(text).terms.map((term) => ({ text: text.slice(term.from, term.to), rest: without(text, [term]) }));
}

/** What the API is asked for. */
export function askedOf({ q, range, sort, order }: Pick<ListState, "q" | "range" | "sort" | "order">): AskedTraces {
  return { q: withRange(q, range), sort, order };
}

/** The text, and the time range as terms of it. */
export function withRange(text: string, { span, from, to }: TimeRange): string {
  const chosen = spanOf(span);
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

function statusTerms(text: string) {
  return parseTraceQuery(text).terms.flatMap((term) =>
    term.kind === "choice" && term.field === "status" && !term.isNegated ? [term] : [],
  );
}
