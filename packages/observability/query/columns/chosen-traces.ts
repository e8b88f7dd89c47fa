import { PACKED_NUMBERS, type PackedNumber } from "#store/packed-columns.ts";
import { numberAt, type Numbers, type Said } from "./hour-columns.ts";

/** Traces of an hour that a query has found. */
export type ChosenHour = {
  /** Its beginning, in milliseconds since 1970. */
  readonly hour: number;
  /** That began in it. */
  readonly traces: number;
  readonly numbers: Numbers;
  readonly said: ReadonlyMap<string, Said>;
  /** In the columns; ascending, so that the newest are the last. */
  readonly places: Int32Array;
};

/** What is known of so many traces, each by its number from 0. */
export type Traces = {
  readonly count: number;
  /** There are more, and these are the newest. */
  readonly isCut: boolean;
  /** The hour in which it began, in milliseconds since 1970. */
  readonly hours: Float64Array;
  /** Places in `STATUSES`. */
  readonly statuses: Uint8Array;
  /** NaN where a trace has none. */
  readonly numbers: Readonly<Record<PackedNumber, Float64Array>>;
  /** The traces that have each value of the field asked for; under an empty key those that have none. */
  readonly groups: ReadonlyMap<string, readonly number[]>;
};

export const STATUSES = ["running", "success", "failure", "interrupted"] as const;

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
  for (const { hour, traces, said, places: all, numbers: own } of hours) {
    const places = all.subarray(Math.max(0, all.length - (count - first)));
    const numberOf = new Int32Array(traces).fill(-1);
    for (let index = 0; index < places.length; index += 1) {
      numberOf[places[index] ?? 0] = first + index;
    }
    times.fill(hour, first, first + places.length);
    for (const name of PACKED_NUMBERS) {
      copyColumn(own[name], { places, traces, to: numbers[name].subarray(first, first + places.length) });
    }
    STATUSES.forEach((status, code) => {
      for (const place of said.get("status")?.get(status) ?? []) {
        const trace = numberOf[place] ?? -1;
        if (trace >= 0) {
          statuses[trace] = code;
        }
      }
    });
    if (by !== undefined) {
      addGroups(groups, said.get(by), numberOf);
    }
    first += places.length;
  }
  return { count, isCut: found > limit, hours: times, statuses, numbers, groups };
}

type Copied = { readonly places: Int32Array; readonly traces: number; readonly to: Float64Array };

function copyColumn(column: DataView, { places, traces, to }: Copied): void {
  if (column.byteLength === 0) {
    to.fill(Number.NaN);
    return;
  }
  for (let index = 0; index < places.length; index += 1) {
    to[index] = numberAt(column, places[index] ?? 0, traces);
  }
}

function addGroups(groups: Map<string, number[]>, said: Said | undefined, numberOf: Int32Array): void {
  const isWithout = new Uint8Array(numberOf.length).fill(1);
  const membersOf = (key: string) => {
    const members = groups.get(key) ?? [];
    groups.set(key, members);
    return members;
  };
  for (const [key, places] of said ?? []) {
    let members: number[] | undefined;
    for (const place of places) {
      const trace = numberOf[place] ?? -1;
      if (trace >= 0) {
        members ??= membersOf(key);
        members.push(trace);
        isWithout[place] = 0;
      }
    }
  }
  for (let place = 0; place < numberOf.length; place += 1) {
    const trace = numberOf[place] ?? -1;
    if (trace >= 0 && isWithout[place] === 1) {
      membersOf("").push(trace);
    }
  }
}
