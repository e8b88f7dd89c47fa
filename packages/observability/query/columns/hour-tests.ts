import { momentsOf, type NumberRange } from "#contract.ts";
import { knownValues, type Context, type ListTerm } from "#query/list/trace-conditions.ts";
import type { PackedNumber } from "#store/packed-columns.ts";
import { numberAt, type Numbers, type Said } from "./hour-columns.ts";

/** Terms of a query as packed hours are asked them: by a field's values, by a number, by the time. All have to be met. */
export type HourTests = {
  readonly fields: readonly FieldTest[];
  readonly numbers: readonly NumberTest[];
  readonly times: readonly TimeTest[];
};
type Negatable = { readonly isNegated: boolean };
export type FieldTest = Negatable & { readonly field: string; readonly values: readonly string[] };
/** A number of a trace; NaN where it has none. */
type Read = (name: PackedNumber) => number;
type NumberTest = Negatable & { readonly isMet: (read: Read) => boolean };
/** Milliseconds since 1970; `to` is exclusive. */
type TimeTest = Negatable & { readonly spans: readonly { readonly from: number; readonly to: number }[] };

/** A longer value is only told apart by its entries' keys, which know as much of it. */
const MAX_VALUE = 199;
const HOUR_MS = 3_600_000;
const STATUSES = new Set(["success", "failure", "interrupted"]);
const NUMBER_FIELDS: Readonly<Record<string, (read: Read) => number>> = {
  duration: (read) => read("duration_ms"),
  ttft: (read) => read("time_to_first_token_ms"),
  cost: (read) => read("cost"),
  input_tokens: (read) => read("input_tokens"),
  output_tokens: (read) => read("output_tokens"),
  tokens: (read) => tokensOf(read("input_tokens"), read("output_tokens")),
};

/** Undefined when packed hours cannot answer one of them: words, scores, what is in an error, whether a producer is gone. */
export async function testsOf(terms: readonly ListTerm[], context: Context): Promise<HourTests | undefined> {
  const tests: { fields: FieldTest[]; numbers: NumberTest[]; times: TimeTest[] } = { fields: [], numbers: [], times: [] };
  for (const term of terms) {
    const { isNegated } = term;
    const values = await valuesOf(term, context);
    const numberOf = term.kind === "number" && term.score === undefined ? NUMBER_FIELDS[term.field] : undefined;
    if (values !== undefined) {
      tests.fields.push({ isNegated, ...values });
    } else if (term.kind === "choice" && term.field === "has" && term.values.every((value) => value === "cost")) {
      tests.numbers.push({ isNegated, isMet: (read) => !Number.isNaN(read("cost")) });
    } else if (term.kind === "number" && numberOf !== undefined) {
      const { ranges } = term;
      tests.numbers.push({ isNegated, isMet: (read) => isWithinAny(numberOf(read), ranges) });
    } else if (term.kind === "time") {
      const spans = term.ranges.map((range) => ({ from: -Infinity, to: Infinity, ...momentsOf(range, context.now.getTime()) }));
      tests.times.push({ isNegated, spans });
    } else {
      return undefined;
    }
  }
  return tests;
}

async function valuesOf(term: ListTerm, context: Context): Promise<Pick<FieldTest, "field" | "values"> | undefined> {
  if (term.kind === "choice" && (term.field === "kind" || (term.field === "status" && term.values.every((value) => STATUSES.has(value))))) {
    return { field: term.field, values: term.values };
  }
  if (term.kind !== "text" || term.field === "error") {
    return undefined;
  }
  const { known, unknown } = await knownValues(term, context);
  return unknown.length === 0 && known.every((value) => value.length <= MAX_VALUE) ? { field: term.field, values: known } : undefined;
}

/** Whether all traces of an hour began when they should have, none, or some: then each has to be looked at. */
export function timeOf(hour: Date, times: readonly TimeTest[]): "all" | "none" | "some" {
  const [begin, end] = [hour.getTime(), hour.getTime() + HOUR_MS];
  const answers = times.map(({ spans, isNegated }) => {
    const isAll = spans.some(({ from, to }) => from <= begin && to >= end);
    const isNone = !spans.some(({ from, to }) => from < end && to > begin);
    return isAll ? (isNegated ? "none" : "all") : isNone ? (isNegated ? "all" : "none") : "some";
  });
  return answers.includes("none") ? "none" : answers.includes("some") ? "some" : "all";
}

/** Places of the traces of an hour, of which there are so many, that meet the tests by fields; ascending. */
export function chooseByFields(traces: number, saidOf: (field: string) => Said | undefined, tests: HourTests["fields"]): Int32Array {
  const met = new Uint8Array(traces);
  let wanted = 0;
  for (const { field, values, isNegated } of tests) {
    const isSaid = new Uint8Array(traces);
    for (const value of values) {
      for (const place of saidOf(field)?.get(value) ?? []) {
        isSaid[place] = 1;
      }
    }
    const answer = isNegated ? 0 : 1;
    for (let place = 0; place < traces; place += 1) {
      met[place] = (met[place] ?? 0) + (isSaid[place] === answer ? 1 : 0);
    }
    wanted += 1;
  }
  const places = new Int32Array(traces);
  let count = 0;
  for (let place = 0; place < traces; place += 1) {
    if (met[place] === wanted) {
      places[count] = place;
      count += 1;
    }
  }
  return places.subarray(0, count);
}

/** Those of the places whose traces meet the tests by numbers. */
export function chooseByNumbers(
  places: Int32Array,
  { numbers, traces }: { readonly numbers: Numbers; readonly traces: number },
  tests: HourTests["numbers"],
) {
  return tests.length === 0
    ? places
    : places.filter((place) =>
        tests.every(({ isMet, isNegated }) => isMet((name) => numberAt(numbers[name], place, traces)) !== isNegated),
      );
}

/** Of a trace that has tokens of one kind only, those of the other are none. */
export function tokensOf(read: number, written: number): number {
  return Number.isNaN(read) ? written : Number.isNaN(written) ? read : read + written;
}

function isWithinAny(value: number, ranges: readonly NumberRange[]): boolean {
  return ranges.some(
    ({ min = -Infinity, max = Infinity, withMin, withMax }) =>
      (value > min || (withMin && value === min)) && (value < max || (withMax && value === max)),
  );
}
