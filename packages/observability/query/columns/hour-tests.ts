import { toMoments, type NumberRange } from "#contract.ts";
import { knownValues, type Context, type ListTerm } from "#query/list/trace-conditions.ts";
import { HOUR_MS, letterOf, numberAt, placesOf, type Numbers, type Said } from "./hour-columns.ts";

/** Terms of a query as packed hours are asked them: by a field's values, by a status or number, by the time. All have to be met. */
export type HourTests = {
  readonly fields: readonly FieldTest[];
  readonly numbers: readonly NumberTest[];
  readonly times: readonly TimeTest[];
};
type Negatable = { readonly isNegated: boolean };
export type FieldTest = Negatable & { readonly field: string; readonly values: readonly string[] };
type NumberTest = Negatable & { readonly isMet: (numbers: Numbers, place: number) => boolean };
/** Milliseconds since 1970; `to` is exclusive. */
type TimeTest = Negatable & { readonly spans: readonly { readonly from: number; readonly to: number }[] };

/** A longer value is only told apart by its entries' keys, which know as much of it. */
const MAX_VALUE = 199;
const STATUSES = new Set(["success", "failure", "interrupted"]);
const NUMBER_FIELDS: Readonly<Record<string, (numbers: Numbers, place: number) => number>> = {
  duration: (numbers, place) => numberAt(numbers.duration_ms, place, numbers.traces),
  ttft: (numbers, place) => numberAt(numbers.time_to_first_token_ms, place, numbers.traces),
  cost: costAt,
  input_tokens: inputAt,
  output_tokens: outputAt,
  tokens: (numbers, place) => tokensOf(inputAt(numbers, place), outputAt(numbers, place)),
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
    } else if (term.kind === "choice" && term.field === "status" && term.values.every((value) => STATUSES.has(value))) {
      const letters = new Set(term.values.map(letterOf));
      tests.numbers.push({ isNegated, isMet: ({ statuses }, place) => letters.has(statuses[place] ?? 0) });
    } else if (term.kind === "choice" && term.field === "has" && term.values.every((value) => value === "cost")) {
      tests.numbers.push({ isNegated, isMet: (numbers, place) => !Number.isNaN(costAt(numbers, place)) });
    } else if (term.kind === "number" && numberOf !== undefined) {
      const { ranges } = term;
      tests.numbers.push({ isNegated, isMet: (numbers, place) => isWithinAny(numberOf(numbers, place), ranges) });
    } else if (term.kind === "time") {
      const spans = term.ranges.map((range) => ({ from: -Infinity, to: Infinity, ...toMoments(range, context.now.getTime()) }));
      tests.times.push({ isNegated, spans });
    } else {
      return undefined;
    }
  }
  return tests;
}

async function valuesOf(term: ListTerm, context: Context): Promise<Pick<FieldTest, "field" | "values"> | undefined> {
  if (term.kind === "choice" && term.field === "kind") {
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
    const [said, isSaid] = [saidOf(field), new Uint8Array(traces)];
    for (const value of values) {
      for (const place of said === undefined ? [] : placesOf(said, value)) {
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

/** Those of the places whose traces meet the tests by status and numbers. */
export function chooseByNumbers(places: Int32Array, numbers: Numbers, tests: HourTests["numbers"]): Int32Array {
  return tests.reduce((left, { isMet, isNegated }) => left.filter((place) => isMet(numbers, place) !== isNegated), places);
}

/** A trace that has tokens of one kind only has none of the other. */
export function tokensOf(read: number, written: number): number {
  return Number.isNaN(read) ? written : Number.isNaN(written) ? read : read + written;
}

function isWithinAny(value: number, ranges: readonly NumberRange[]): boolean {
  return ranges.some(
    ({ min = -Infinity, max = Infinity, withMin, withMax }) =>
      (value > min || (withMin && value === min)) && (value < max || (withMax && value === max)),
  );
}

function costAt({ cost, traces }: Numbers, place: number): number {
  return numberAt(cost, place, traces);
}

function inputAt({ input_tokens: input, traces }: Numbers, place: number): number {
  return numberAt(input, place, traces);
}

function outputAt({ output_tokens: output, traces }: Numbers, place: number): number {
  return numberAt(output, place, traces);
}
