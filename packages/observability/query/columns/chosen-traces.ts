import { PACKED_NUMBERS, type PackedNumber } from "#counting/packed-columns.ts";
import { numberAt, statusByte, type FieldValues, type Numbers } from "./hour-columns.ts";

/** NaN where a trace has none. */
type Columns = Readonly<Record<PackedNumber, Float64Array>>;

/** Traces of an hour that a query has found. */
export type ChosenHour = {
  /** Its beginning, in milliseconds since 1970. */
  readonly hour: number;
  /** How many began in it. */
  readonly traces: number;
  /** Which of them; ascending, so that the newest are the last. */
  readonly places: Int32Array;
  /** Statuses and numbers of those. */
  readonly statuses: Uint8Array;
  readonly numbers: Columns;
  /** The values of the field by which they are grouped, of the whole hour. */
  readonly values: FieldValues | undefined;
};

type Hour = { readonly hour: Date; readonly numbers: Numbers; readonly places: Int32Array; readonly values: FieldValues | undefined };

export function chooseFrom({ hour, numbers, places, values }: Hour): ChosenHour {
  const columns = PACKED_NUMBERS.map((name) => [name, selectNumbers(numbers[name], places, numbers.traces)]);
  return {
    hour: hour.getTime(),
    traces: numbers.traces,
    places,
    statuses: selectStatuses(numbers.statuses, places),
    numbers: Object.fromEntries(columns) as Record<PackedNumber, Float64Array>,
    values,
  };
}

function selectStatuses(packed: Uint8Array, places: Int32Array): Uint8Array {
  const statuses = new Uint8Array(places.length);
  for (let index = 0; index < places.length; index += 1) {
    statuses[index] = packed[places[index] ?? 0] ?? 0;
  }
  return statuses;
}

function selectNumbers(packed: DataView, places: Int32Array, traces: number): Float64Array {
  const column = new Float64Array(places.length);
  if (packed.byteLength === 0) {
    return column.fill(Number.NaN);
  }
  for (let index = 0; index < places.length; index += 1) {
    column[index] = numberAt(packed, places[index] ?? 0, traces);
  }
  return column;
}

/** What is known of so many traces, each by its number from 0. */
export type Traces = {
  readonly count: number;
  /** There are more, and these are the newest. */
  readonly isCut: boolean;
  /** The hour in which it began, in milliseconds since 1970. */
  readonly hours: Float64Array;
  /** Bytes, as {@link statusByte} has them. */
  readonly statuses: Uint8Array;
  readonly numbers: Columns;
  /** The traces that have each value of the field asked for; under an empty key those that have none. */
  readonly groups: ReadonlyMap<string, readonly number[]>;
};

const STATUSES = ["running", "success", "failure", "interrupted"] as const;

/** @param hours The newest first. */
export function joinHours(
  hours: readonly ChosenHour[],
  { by, limit }: { readonly by: string | undefined; readonly limit: number },
): Traces {
  const found = hours.reduce((sum, { places }) => sum + places.length, 0);
  const count = Math.min(found, limit);
  const [times, statuses] = [new Float64Array(count), new Uint8Array(count)];
  const numbers = Object.fromEntries(PACKED_NUMBERS.map((name) => [name, new Float64Array(count)])) as Record<PackedNumber, Float64Array>;
  const groups = new Map<string, number[]>();
  let first = 0;
  for (const { hour, traces, values, places: all, statuses: ownStatuses, numbers: own } of hours) {
    const left = Math.max(0, all.length - (count - first));
    const places = all.subarray(left);
    times.fill(hour, first, first + places.length);
    statuses.set(ownStatuses.subarray(left), first);
    for (const name of PACKED_NUMBERS) {
      numbers[name].set(own[name].subarray(left), first);
    }
    if (by === "status") {
      addStatuses(groups, statuses.subarray(first, first + places.length), first);
    } else if (by !== undefined) {
      const numberAtPlace = new Int32Array(traces).fill(-1);
      for (let index = 0; index < places.length; index += 1) {
        numberAtPlace[places[index] ?? 0] = first + index;
      }
      addGroups(groups, values, numberAtPlace);
    }
    first += places.length;
  }
  return { count, isCut: found > limit, hours: times, statuses, numbers, groups };
}

function addStatuses(groups: Map<string, number[]>, statuses: Uint8Array, first: number): void {
  for (const status of STATUSES) {
    const [byte, members] = [statusByte(status), groupMembers(groups, status)];
    for (let index = 0; index < statuses.length; index += 1) {
      if (statuses[index] === byte) {
        members.push(first + index);
      }
    }
  }
}

function addGroups(groups: Map<string, number[]>, field: FieldValues | undefined, numberAtPlace: Int32Array): void {
  const isWithout = new Uint8Array(numberAtPlace.length).fill(1);
  let from = 0;
  for (let value = 0; value < (field?.values.length ?? 0); value += 1) {
    const to = from + (field?.counts[value] ?? 0);
    let members: number[] | undefined;
    for (; from < to; from += 1) {
      const place = field?.places[from] ?? 0;
      const trace = numberAtPlace[place] ?? -1;
      if (trace >= 0) {
        members ??= groupMembers(groups, field?.values[value] ?? "");
        members.push(trace);
        isWithout[place] = 0;
      }
    }
  }
  const without = groupMembers(groups, "");
  for (let place = 0; place < numberAtPlace.length; place += 1) {
    const trace = numberAtPlace[place] ?? -1;
    if (trace >= 0 && isWithout[place] === 1) {
      without.push(trace);
    }
  }
}

function groupMembers(groups: Map<string, number[]>, key: string): number[] {
  const members = groups.get(key) ?? [];
  groups.set(key, members);
  return members;
}
