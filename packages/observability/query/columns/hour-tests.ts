import type { HourTest } from "#query/conditions/condition.ts";
import { isWithin } from "#query/conditions/number-range.ts";
import { addTokens, HOUR_MS, numberAt, placesWith, statusByte, type FieldValues, type Numbers } from "./hour-columns.ts";

type TestBy<Kind extends HourTest["kind"]> = Extract<HourTest, { readonly kind: Kind }>;
export type ValuesTest = TestBy<"values">;

/** Whether all traces of an hour began when they should have, none, or some: then each has to be looked at. */
export function matchTimes(hour: Date, times: readonly TestBy<"time">[]): "all" | "none" | "some" {
  const [begin, end] = [hour.getTime(), hour.getTime() + HOUR_MS];
  const answers = times.map(({ spans, isNegated }) => {
    const isAll = spans.some(({ from, to }) => from <= begin && to >= end);
    const isNone = !spans.some(({ from, to }) => from < end && to > begin);
    return isAll ? (isNegated ? "none" : "all") : isNone ? (isNegated ? "all" : "none") : "some";
  });
  return answers.includes("none") ? "none" : answers.includes("some") ? "some" : "all";
}

/** Places of the traces of an hour, of which there are so many, that meet the tests by fields; ascending. */
export function chooseByFields(traces: number, find: (field: string) => FieldValues | undefined, tests: readonly ValuesTest[]): Int32Array {
  const isLeft = new Uint8Array(traces).fill(1);
  for (const { field, values, isNegated } of tests) {
    const [ofField, isMet] = [find(field), new Uint8Array(traces).fill(isNegated ? 1 : 0)];
    for (const value of values) {
      for (const place of ofField === undefined ? [] : placesWith(ofField, value)) {
        isMet[place] = isNegated ? 0 : 1;
      }
    }
    for (let place = 0; place < traces; place += 1) {
      isLeft[place] = (isLeft[place] ?? 0) & (isMet[place] ?? 0);
    }
  }
  const places = new Int32Array(traces);
  let count = 0;
  for (let place = 0; place < traces; place += 1) {
    if (isLeft[place] === 1) {
      places[count] = place;
      count += 1;
    }
  }
  return places.subarray(0, count);
}

/** Those of the places whose traces meet the tests by status and numbers. */
export function chooseByNumbers(places: Int32Array, numbers: Numbers, tests: readonly TestBy<"status" | "number">[]): Int32Array {
  return tests.reduce((left, test) => {
    const isMet = readTest(test, numbers);
    return left.filter((place) => isMet(place) !== test.isNegated);
  }, places);
}

function readTest(test: TestBy<"status" | "number">, numbers: Numbers): (place: number) => boolean {
  if (test.kind === "status") {
    const bytes = new Set(test.statuses.map(statusByte));
    return (place) => bytes.has(numbers.statuses[place] ?? 0);
  }
  const { column, ranges } = test;
  return (place) => {
    const number = readNumber(column, numbers, place);
    return ranges.some((range) => isWithin(number, range));
  };
}

function readNumber(column: TestBy<"number">["column"], numbers: Numbers, place: number): number {
  return column === "tokens"
    ? addTokens(readNumber("input_tokens", numbers, place), readNumber("output_tokens", numbers, place))
    : numberAt(numbers[column], place, numbers.traces);
}
