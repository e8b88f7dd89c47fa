import { PACKED_NUMBERS, type PackedNumber } from "#store/packed-columns.ts";

/** Numbers of the traces of an hour as the database packs them: see `observability.trace_hours`. */
export type NumbersRow = { readonly hour: Date; readonly traces: number } & Readonly<Record<PackedNumber, Uint8Array>>;
/** What they have said of one field. */
export type FieldRow = {
  readonly hour: Date;
  readonly field: string;
  readonly said: readonly string[];
  readonly counts: Uint8Array;
  readonly places: Uint8Array;
};

/** Numbers of an hour's traces, each column as it came. */
export type Numbers = Readonly<Record<PackedNumber, DataView>>;

/** The values of a field, and in which places the traces are that have each. */
export type Said = ReadonlyMap<string, Int32Array>;

export function numbersOf(row: NumbersRow): Numbers {
  return Object.fromEntries(PACKED_NUMBERS.map((name) => [name, viewOf(row[name])])) as Record<PackedNumber, DataView>;
}

/** NaN where the trace has no such number. */
export function numberAt(column: DataView, place: number, traces: number): number {
  if (column.byteLength === traces * 8) {
    return column.getFloat64(place * 8);
  }
  const number = column.byteLength === traces * 4 ? column.getInt32(place * 4) : -1;
  return number < 0 ? Number.NaN : number;
}

export function unpackReals(bytes: Uint8Array): Float64Array {
  const view = viewOf(bytes);
  const numbers = new Float64Array(bytes.byteLength / 8);
  for (let place = 0; place < numbers.length; place += 1) {
    numbers[place] = view.getFloat64(place * 8);
  }
  return numbers;
}

/** @param last The place of the hour's first trace, where places are counted backwards. */
export function unpackSaid({ said, counts, places }: FieldRow, last?: number): Said {
  const given = unpackIntegers(places);
  const all = last === undefined ? given : given.map((place) => last - place);
  const values = new Map<string, Int32Array>();
  let [index, first] = [0, 0];
  for (const count of unpackIntegers(counts)) {
    values.set(said[index] ?? "", all.subarray(first, first + count));
    index += 1;
    first += count;
  }
  return values;
}

function unpackIntegers(bytes: Uint8Array): Int32Array {
  const view = viewOf(bytes);
  const integers = new Int32Array(bytes.byteLength / 4);
  for (let place = 0; place < integers.length; place += 1) {
    integers[place] = view.getInt32(place * 4);
  }
  return integers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
