import { toExact } from "@sightline/foundation/exact-json";
import protobuf from "protobufjs/minimal.js";
import { expect, test } from "vitest";
import { readProtobuf } from "./read-protobuf.ts";

test.each<[name: string, tag: number, write: (writer: protobuf.Writer) => protobuf.Writer, value: unknown]>([
  ["a text", 0x0a, (writer) => writer.string("é"), "é"],
  ["true", 0x10, (writer) => writer.bool(true), true],
  ["a number", 0x18, (writer) => writer.int64(42), 42],
  ["a negative number", 0x18, (writer) => writer.int64(-42), -42],
  ["the largest exact number", 0x18, (writer) => writer.int64(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ["the smallest 64-bit number", 0x18, (writer) => writer.int64(-(2 ** 63)), toExact("-9223372036854775808")],
  ["a fraction", 0x21, (writer) => writer.double(0.1), 0.1],
  ["NaN, as a text", 0x21, (writer) => writer.double(Number.NaN), "NaN"],
  ["bytes, as base64", 0x3a, (writer) => writer.bytes(Buffer.from("hi")), "aGk="],
  ["a field of a later version, as nothing", 0x7a, (writer) => writer.string("?"), null],
])("an attribute's value may be %s", (_name, tag, write, value) => {
  const any = write(protobuf.Writer.create().uint32(tag)).finish();
  const keyValue = protobuf.Writer.create().uint32(0x0a).string("k").uint32(0x12).bytes(any).finish();
  const resource = protobuf.Writer.create().uint32(0x0a).bytes(keyValue).finish();
  const resourceSpans = protobuf.Writer.create().uint32(0x0a).bytes(resource).uint32(0x12).bytes(Buffer.alloc(0)).finish();
  const [batch] = readProtobuf(protobuf.Writer.create().uint32(0x0a).bytes(resourceSpans).finish());
  expect(batch?.resource).toEqual(new Map([["k", value]]));
});

test("of any bytes at all, what can't be read is said to be unreadable and nothing else happens", () => {
  let state = 7;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  const outcomes = new Set<string>();
  for (let round = 0; round < 3_000; round += 1) {
    outcomes.add(
      outcomeOf(Uint8Array.from({ length: next() % 64 }, () => (next() % 3 === 0 ? 0x0a : next() % 2 === 0 ? 0x12 : next() & 0xff))),
    );
  }
  expect([...outcomes].toSorted()).toEqual(["UnreadableRequest", "read"]);
});

function outcomeOf(bytes: Uint8Array): string {
  try {
    readProtobuf(bytes);
    return "read";
  } catch (error) {
    return error instanceof Error ? error.name : "no error";
  }
}
