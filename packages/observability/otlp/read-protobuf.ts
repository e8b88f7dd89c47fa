import protobuf from "protobufjs/minimal.js";
import {
  createItemCounter,
  UnreadableRequest,
  VALUE_MAX_DEPTH,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpLink,
  type OtlpScopeSpans,
  type OtlpSpan,
  type OtlpValue,
} from "./otlp-span.ts";

type Reader = protobuf.Reader;

/** A tag of the wire is the field's number and how its value is written. */
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;
const delimited = (field: number): number => (field << 3) | 2;
const fixed32 = (field: number): number => (field << 3) | 5;

/** The fields of `opentelemetry/proto/trace/v1/trace.proto` that are read, by message; all others are skipped. */
const REQUEST = { resourceSpans: delimited(1) };
const RESOURCE_SPANS = { resource: delimited(1), scopeSpans: delimited(2) };
const RESOURCE = { attributes: delimited(1) };
const SCOPE_SPANS = { scope: delimited(1), spans: delimited(2) };
const SCOPE = { name: delimited(1), version: delimited(2) };
const SPAN = {
  traceId: delimited(1),
  spanId: delimited(2),
  parentSpanId: delimited(4),
  name: delimited(5),
  start: fixed64(7),
  end: fixed64(8),
  attributes: delimited(9),
  events: delimited(11),
  links: delimited(13),
  status: delimited(15),
  flags: fixed32(16),
};
const EVENT = { time: fixed64(1), name: delimited(2), attributes: delimited(3) };
const LINK = { traceId: delimited(1), spanId: delimited(2), attributes: delimited(4) };
const STATUS = { message: delimited(2), code: varint(3) };
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

/**
 * Reads an ExportTraceServiceRequest field by field, so that it can stop at a limit, which a generated decoder cannot.
 *
 * @throws {UnreadableRequest}
 */
export function readProtobuf(body: Uint8Array): readonly OtlpScopeSpans[] {
  const reader = protobuf.Reader.create(body);
  const count = createItemCounter();
  const batches: OtlpScopeSpans[] = [];
  try {
    readFields(reader, reader.len, { [REQUEST.resourceSpans]: () => batches.push(...readResourceSpans(reader, count)) });
  } catch (error) {
    throw error instanceof UnreadableRequest ? error : new UnreadableRequest("it is no ExportTraceServiceRequest", { cause: error });
  }
  return batches;
}

function readResourceSpans(reader: Reader, count: () => void): readonly OtlpScopeSpans[] {
  let resource: OtlpAttributes = new Map();
  const scopes: Omit<OtlpScopeSpans, "resource">[] = [];
  readMessage(reader, count, {
    [RESOURCE_SPANS.resource]: () => {
      const attributes = new Map<string, OtlpValue>();
      readMessage(reader, count, { [RESOURCE.attributes]: () => readKeyValue(reader, count, attributes, 0) });
      resource = attributes;
    },
    [RESOURCE_SPANS.scopeSpans]: () => void scopes.push(readScopeSpans(reader, count)),
  });
  return scopes.map((scope) => ({ ...scope, resource }));
}

function readScopeSpans(reader: Reader, count: () => void): Omit<OtlpScopeSpans, "resource"> {
  const scope = { name: "", version: "" };
  const spans: OtlpSpan[] = [];
  readMessage(reader, count, {
    [SCOPE_SPANS.scope]: () =>
      readMessage(reader, count, {
        [SCOPE.name]: () => void (scope.name = reader.string()),
        [SCOPE.version]: () => void (scope.version = reader.string()),
      }),
    [SCOPE_SPANS.spans]: () => void spans.push(readSpan(reader, count)),
  });
  return { scope, spans };
}

function readSpan(reader: Reader, count: () => void): OtlpSpan {
  const span = { traceId: "", spanId: "", parentSpanId: "", name: "", flags: 0, startNanos: 0n, endNanos: 0n };
  const attributes = new Map<string, OtlpValue>();
  const events: OtlpEvent[] = [];
  const links: OtlpLink[] = [];
  const status = { code: 0, message: "" };
  readMessage(reader, count, {
    [SPAN.traceId]: () => void (span.traceId = readHex(reader)),
    [SPAN.spanId]: () => void (span.spanId = readHex(reader)),
    [SPAN.parentSpanId]: () => void (span.parentSpanId = readHex(reader)),
    [SPAN.name]: () => void (span.name = reader.string()),
    [SPAN.start]: () => void (span.startNanos = readNanos(reader)),
    [SPAN.end]: () => void (span.endNanos = readNanos(reader)),
    [SPAN.attributes]: () => readKeyValue(reader, count, attributes, 0),
    [SPAN.events]: () => void events.push(readEvent(reader, count)),
    [SPAN.links]: () => void links.push(readLink(reader, count)),
    [SPAN.status]: () =>
      readMessage(reader, count, {
        [STATUS.message]: () => void (status.message = reader.string()),
        [STATUS.code]: () => void (status.code = reader.int32()),
      }),
    [SPAN.flags]: () => void (span.flags = reader.fixed32()),
  });
  return { ...span, attributes, events, links, status };
}

function readEvent(reader: Reader, count: () => void): OtlpEvent {
  const event = { name: "", nanos: 0n };
  const attributes = new Map<string, OtlpValue>();
  readMessage(reader, count, {
    [EVENT.time]: () => void (event.nanos = readNanos(reader)),
    [EVENT.name]: () => void (event.name = reader.string()),
    [EVENT.attributes]: () => readKeyValue(reader, count, attributes, 0),
  });
  return { ...event, attributes };
}

function readLink(reader: Reader, count: () => void): OtlpLink {
  const link = { traceId: "", spanId: "" };
  const attributes = new Map<string, OtlpValue>();
  readMessage(reader, count, {
    [LINK.traceId]: () => void (link.traceId = readHex(reader)),
    [LINK.spanId]: () => void (link.spanId = readHex(reader)),
    [LINK.attributes]: () => readKeyValue(reader, count, attributes, 0),
  });
  return { ...link, attributes };
}

function readKeyValue(reader: Reader, count: () => void, into: Map<string, OtlpValue>, depth: number): void {
  let key = "";
  let value: OtlpValue = null;
  readMessage(reader, count, {
    [KEY_VALUE.key]: () => void (key = reader.string()),
    [KEY_VALUE.value]: () => void (value = readValue(reader, count, depth)),
  });
  into.set(key, value);
}

function readValue(reader: Reader, count: () => void, depth: number): OtlpValue {
  if (depth > VALUE_MAX_DEPTH) {
    throw new UnreadableRequest(`a value is nested deeper than ${VALUE_MAX_DEPTH}`);
  }
  let value: OtlpValue = null;
  readMessage(reader, count, {
    [VALUE.string]: () => void (value = reader.string()),
    [VALUE.boolean]: () => void (value = reader.bool()),
    [VALUE.integer]: () => void (value = readInteger(reader)),
    [VALUE.double]: () => void (value = readDouble(reader)),
    [VALUE.bytes]: () => void (value = Buffer.from(reader.bytes()).toString("base64")),
    [VALUE.array]: () => {
      const values: OtlpValue[] = [];
      readMessage(reader, count, { [LIST.values]: () => void values.push(readValue(reader, count, depth + 1)) });
      value = values;
    },
    [VALUE.keyValues]: () => {
      const values = new Map<string, OtlpValue>();
      readMessage(reader, count, { [LIST.values]: () => readKeyValue(reader, count, values, depth + 1) });
      value = Object.fromEntries(values);
    },
  });
  return value;
}

function readHex(reader: Reader): string {
  return Buffer.from(reader.bytes()).toString("hex");
}

function readNanos(reader: Reader): bigint {
  const low = BigInt(reader.fixed32());
  return (BigInt(reader.fixed32()) << 32n) | low;
}

function readInteger(reader: Reader): number | string {
  const text = String(reader.int64());
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** JSON knows neither NaN nor infinity. */
function readDouble(reader: Reader): number | string {
  const value = reader.double();
  return Number.isFinite(value) ? value : String(value);
}

type Handlers = Readonly<Record<number, () => unknown>>;

function readMessage(reader: Reader, count: () => void, handlers: Handlers): void {
  count();
  const length = reader.uint32();
  readFields(reader, reader.pos + length, handlers);
}

function readFields(reader: Reader, end: number, handlers: Handlers): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const handle = handlers[tag];
    if (handle === undefined) {
      reader.skipType(tag & 7);
    } else {
      handle();
    }
  }
  if (reader.pos !== end) {
    throw new UnreadableRequest("a message in it ends within a field");
  }
}
