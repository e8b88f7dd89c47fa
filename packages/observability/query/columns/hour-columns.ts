import { PACKED_NUMBERS, type PackedNumber } from "#counting/packed-columns.ts";

export const HOUR_MS = 3_600_000;

/** Statuses and numbers of the traces of an hour, as `observability.trace_hours` packs them and in base64. */
export type NumbersRow = { readonly hour: Date; readonly traces: number; readonly statuses: string } & Readonly<
  Record<PackedNumber, string>
>;
/** The values of one field of theirs, as `observability.trace_hour_fields` has them. */
export type FieldRow = {
  readonly hour: Date;
  readonly field: string;
  readonly values: readonly string[];
  readonly counts: string;
  readonly places: string;
};

/** Each column as it was packed. */
export type Numbers = { readonly traces: number; /** As {@link statusByte} has them. */ readonly statuses: Uint8Array } & Readonly<
  Record<PackedNumber, DataView>
>;

/** The values of a field, of how many traces each is, and in which places those are, value by value. */
export type FieldValues = { readonly values: readonly string[]; readonly counts: Int32Array; readonly places: Int32Array };

export function unpackNumbers({ traces, statuses, ...row }: NumbersRow): Numbers {
  const columns = PACKED_NUMBERS.map((name) => [name, viewBytes(decodeBytes(row[name]))]);
  return { ...(Object.fromEntries(columns) as Record<PackedNumber, DataView>), traces, statuses: decodeBytes(statuses) };
}

/** The first character of a status, as which it is packed. */
export function statusByte(status: string): number {
  return status.charCodeAt(0);
}

/** NaN where the trace has no such number. */
export function numberAt(column: DataView, place: number, traces: number): number {
  if (column.byteLength === traces * 8) {
    return column.getFloat64(place * 8);
  }
  const number = column.byteLength === traces * 4 ? column.getInt32(place * 4) : -1;
  return number < 0 ? Number.NaN : number;
}

/** A trace that has tokens of one kind only has none of the other. */
export function addTokens(read: number, written: number): number {
  return Number.isNaN(read) ? written : Number.isNaN(written) ? read : read + written;
}

/** @param first The place that counts as the hour's first. */
export function unpackValues({ values, counts, places }: FieldRow, first: number): FieldValues {
  return { values, counts: unpackIntegers(counts, 0), places: unpackIntegers(places, first) };
}

/** Where the traces are that have a value. */
export function placesWith({ values, counts, places }: FieldValues, value: string): Int32Array {
  let first = 0;
  for (let index = 0; index < counts.length; index += 1) {
    const next = first + (counts[index] ?? 0);
    if (values[index] === value) {
      return places.subarray(first, next);
    }
    first = next;
  }
  return places.subarray(0, 0);
}

export function unpackReals(bytes: Uint8Array): Float64Array {
  const view = viewBytes(bytes);
  const numbers = new Float64Array(bytes.byteLength / 8);
  for (let place = 0; place < numbers.length; place += 1) {
    numbers[place] = view.getFloat64(place * 8);
  }
  return numbers;
}

function unpackIntegers(text: string, first: number): Int32Array {
  const view = viewBytes(decodeBytes(text));
  const integers = new Int32Array(view.byteLength / 4);
  for (let place = 0; place < integers.length; place += 1) {
    integers[place] = view.getInt32(place * 4) - first;
  }
  return integers;
}

function decodeBytes(text: string): Uint8Array {
  return Buffer.from(text, "base64");
}

function viewBytes(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
