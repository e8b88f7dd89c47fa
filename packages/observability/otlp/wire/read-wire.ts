import { toExact } from "@sightline/foundation/exact-json";
import type protobuf from "protobufjs/minimal.js";
import { UnreadableRequest, MAX_VALUE_DEPTH, type OtlpValue } from "./otlp-span.ts";
import type { RequestLimits } from "./request-limits.ts";

export type Reader = protobuf.Reader;

/** A tag of the wire is the field's number and how its value is written. */
export const varint = (field: number): number => field << 3;
export const fixed64 = (field: number): number => (field << 3) | 1;
export const delimited = (field: number): number => (field << 3) | 2;
export const fixed32 = (field: number): number => (field << 3) | 5;

/** The fields of `opentelemetry/proto/common/v1/common.proto`. */
const KEY_VALUE = { key: delimited(1), value: delimited(2) };
const LIST = { values: delimited(1) };
const VALUE = {
  string: delimited(1),
  boolean: varint(2),
  integer: varint(3),
  double: fixed64(4),
  array: delimited(5),
  keyValues: delimited(6),
  bytes: delimited(7),
};

export function readKeyValue(reader: Reader, limits: RequestLimits, into: Map<string, OtlpValue>, depth: number): true {
  let key = "";
  let value: OtlpValue = null;
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case KEY_VALUE.key:
        key = reader.string();
        return true;
      case KEY_VALUE.value:
        value = readValue(reader, limits, depth);
        return true;
      default:
        return false;
    }
  });
  into.set(key, value);
  return true;
}

export function readValue(reader: Reader, limits: RequestLimits, depth: number): OtlpValue {
  if (depth > MAX_VALUE_DEPTH) {
    throw new UnreadableRequest(`a value is nested deeper than ${MAX_VALUE_DEPTH}`);
  }
  let value: OtlpValue = null;
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case VALUE.string:
        value = reader.string();
        return true;
      case VALUE.boolean:
        value = reader.bool();
        return true;
      case VALUE.integer:
        value = readInteger(reader);
        return true;
      case VALUE.double:
        value = readDouble(reader);
        return true;
      case VALUE.bytes:
        value = Buffer.from(reader.bytes()).toString("base64");
        return true;
      case VALUE.array:
        value = readList(reader, limits, depth + 1);
        return true;
      case VALUE.keyValues:
        value = readRecord(reader, limits, depth + 1);
        return true;
      default:
        return false;
    }
  });
  return value;
}

function readList(reader: Reader, limits: RequestLimits, depth: number): OtlpValue {
  const values: OtlpValue[] = [];
  readMessage(reader, limits, (tag) => tag === LIST.values && values.push(readValue(reader, limits, depth)) > 0);
  return values;
}

function readRecord(reader: Reader, limits: RequestLimits, depth: number): OtlpValue {
  const values = new Map<string, OtlpValue>();
  readMessage(reader, limits, (tag) => tag === LIST.values && readKeyValue(reader, limits, values, depth));
  return Object.fromEntries(values);
}

export function readHex(reader: Reader): string {
  return Buffer.from(reader.bytes()).toString("hex");
}

export function readNanos(reader: Reader): bigint {
  const low = BigInt(reader.fixed32());
  return (BigInt(reader.fixed32()) << 32n) | low;
}

function readInteger(reader: Reader): OtlpValue {
  const given = reader.int64();
  return typeof given === "number" ? given : toExact(String((BigInt(given.high) << 32n) | BigInt(given.low >>> 0)));
}

/** JSON knows neither NaN nor infinity. */
function readDouble(reader: Reader): OtlpValue {
  const value = reader.double();
  return Object.is(value, -0) ? toExact("-0") : Number.isFinite(value) ? value : String(value);
}

/** Reads the field of a tag, or leaves it where it is and says so. */
type ReadField = (tag: number) => boolean;

export function readMessage(reader: Reader, limits: RequestLimits, readField: ReadField): void {
  limits.countItem();
  const length = reader.uint32();
  readFields(reader, reader.pos + length, readField);
}

export function readFields(reader: Reader, end: number, readField: ReadField): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!readField(tag)) {
      reader.skipType(tag & 7);
    }
  }
  if (reader.pos !== end) {
    throw new UnreadableRequest("a message in it ends within a field");
  }
}
