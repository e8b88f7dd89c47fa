import { isExactNumber, parseExactly, toExact, type ExactNumber } from "@sightline/foundation/exact-json";
import {
  UnreadableRequest,
  MAX_VALUE_DEPTH,
  toLogAttributes,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpLog,
  type OtlpScopeSpans,
  type OtlpSpan,
  type OtlpValue,
} from "./otlp-span.ts";
import { createJsonLimit, createRequestLimits, type RequestLimits } from "./request-limits.ts";

type Item = Readonly<Record<string, unknown>>;

/**
 * Reads an ExportTraceServiceRequest in JSON: ids are hexadecimal, 64-bit integers may be texts, unknown fields are skipped.
 *
 * @throws {UnreadableRequest}
 */
export function readJson(body: Uint8Array): readonly OtlpScopeSpans[] {
  const request = toItem(parse(body));
  const limits = createRequestLimits();
  return list(request, "resourceSpans", "resource_spans").flatMap((resourceSpans) => {
    const resource = readAttributes(toItem(resourceSpans["resource"]), limits);
    return list(resourceSpans, "scopeSpans", "scope_spans").map((scopeSpans) => {
      const scope = toItem(scopeSpans["scope"]);
      return {
        resource,
        scope: { name: text(scope["name"]), version: text(scope["version"]) },
        spans: list(scopeSpans, "spans").map((span) => readSpan(span, limits)),
      };
    });
  });
}

/** Reads the records of an ExportLogsServiceRequest. @throws {UnreadableRequest} */
export function readJsonLogs(body: Uint8Array): readonly OtlpLog[] {
  const limits = createRequestLimits();
  return list(toItem(parse(body)), "resourceLogs", "resource_logs")
    .flatMap((resourceLogs) => list(resourceLogs, "scopeLogs", "scope_logs"))
    .flatMap((scopeLogs) => list(scopeLogs, "logRecords", "log_records"))
    .map((record) => {
      limits.countSpan();
      const attributes = readAttributes(record, limits);
      const name = text(field(record, "eventName", "event_name")) || text(attributes.get("event.name"));
      const content = record["body"] === undefined ? undefined : readValue(record["body"], limits, 0);
      return { ...idsOf(record), event: { name, nanos: nanosOf(record), attributes: toLogAttributes(attributes, content) } };
    });
}

const NUMBERS: ReadonlySet<string> = new Set(["intValue", "int_value", "doubleValue", "double_value"]);

function parse(body: Uint8Array): unknown {
  refuseManyItems(body);
  try {
    return parseExactly(new TextDecoder("utf-8", { fatal: true }).decode(body), NUMBERS);
  } catch (error) {
    throw new UnreadableRequest("it is no JSON in UTF-8", { cause: error });
  }
}

const [QUOTE, BACKSLASH, BRACE, BRACKET, COMMA] = Buffer.from('"\\{[,');

/**
 * Refuses requests with too many items before anything is built: the brackets and commas outside of texts are at least
 * as many as the items.
 */
function refuseManyItems(body: Uint8Array): void {
  const count = createJsonLimit();
  let isText = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) {
      isText = !isText;
    } else if (isText) {
      index += byte === BACKSLASH ? 1 : 0;
    } else if (byte === BRACE || byte === BRACKET || byte === COMMA) {
      count();
    }
  }
}

function readSpan(span: Item, limits: RequestLimits): OtlpSpan {
  limits.countSpan();
  const status = toItem(span["status"]);
  return {
    ...idsOf(span),
    parentSpanId: text(field(span, "parentSpanId", "parent_span_id")).toLowerCase(),
    name: text(span["name"]),
    flags: number(span["flags"]),
    startNanos: nanos(field(span, "startTimeUnixNano", "start_time_unix_nano")),
    endNanos: nanos(field(span, "endTimeUnixNano", "end_time_unix_nano")),
    attributes: readAttributes(span, limits),
    events: list(span, "events").map((event) => readEvent(event, limits)),
    links: list(span, "links").map((link) => ({ ...idsOf(link), attributes: readAttributes(link, limits) })),
    status: { code: statusCode(status["code"]), message: text(status["message"]) },
  };
}

function idsOf(item: Item) {
  return {
    traceId: text(field(item, "traceId", "trace_id")).toLowerCase(),
    spanId: text(field(item, "spanId", "span_id")).toLowerCase(),
  };
}

function readEvent(event: Item, limits: RequestLimits): OtlpEvent {
  return { name: text(event["name"]), nanos: nanosOf(event), attributes: readAttributes(event, limits) };
}

/** The time it happened; of a record that doesn't say, that at which it was seen. */
function nanosOf(item: Item): bigint {
  return nanos(field(item, "timeUnixNano", "time_unix_nano")) || nanos(field(item, "observedTimeUnixNano", "observed_time_unix_nano"));
}

function readAttributes(item: Item, limits: RequestLimits): OtlpAttributes {
  limits.countItem();
  return new Map(list(item, "attributes").map(({ key, value }) => [text(key), readValue(value, limits, 0)]));
}

function readValue(value: unknown, limits: RequestLimits, depth: number): OtlpValue {
  limits.countItem();
  if (depth > MAX_VALUE_DEPTH) {
    throw new UnreadableRequest(`a value is nested deeper than ${MAX_VALUE_DEPTH}`);
  }
  const item = toItem(value);
  const [plain] = [field(item, "stringValue", "string_value"), field(item, "boolValue", "bool_value")].filter(
    (one) => typeof one === "string" || typeof one === "boolean",
  );
  if (typeof plain === "string" || typeof plain === "boolean") {
    return plain;
  }
  const integer = scalar(field(item, "intValue", "int_value"));
  if (integer !== undefined) {
    return typeof integer === "string" && /^-?\d{1,20}$/.test(integer) ? toExact(String(BigInt(integer))) : integer;
  }
  const double = scalar(field(item, "doubleValue", "double_value"));
  if (double !== undefined) {
    return double;
  }
  const bytes = field(item, "bytesValue", "bytes_value");
  if (bytes !== undefined) {
    return text(bytes);
  }
  const array = field(item, "arrayValue", "array_value");
  if (array !== undefined) {
    return list(toItem(array), "values").map((one) => readValue(one, limits, depth + 1));
  }
  const keyValues = field(item, "kvlistValue", "kvlist_value");
  if (keyValues !== undefined) {
    return Object.fromEntries(
      list(toItem(keyValues), "values").map((one) => [text(one["key"]), readValue(one["value"], limits, depth + 1)]),
    );
  }
  return null;
}

/** The mapping of protocol buffers to JSON also allows the names of the .proto file. */
function field(item: Item, camel: string, snake: string): unknown {
  return item[camel] ?? item[snake];
}

function list(item: Item, camel: string, snake = camel): readonly Item[] {
  const value = field(item, camel, snake) ?? [];
  if (!Array.isArray(value)) {
    throw new UnreadableRequest(`${camel} is no list`);
  }
  return value.map(toItem);
}

function toItem(value: unknown): Item {
  return typeof value === "object" && value !== null ? (value as Item) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** 64-bit integers, NaN and infinity come as texts. */
function scalar(value: unknown): string | number | ExactNumber | undefined {
  return typeof value === "string" || typeof value === "number" || isExactNumber(value) ? value : undefined;
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0;
}

const STATUS_NAMES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

function statusCode(value: unknown): number {
  return typeof value === "string" ? Math.max(STATUS_NAMES.indexOf(value), 0) : number(value);
}

/** A number of nanoseconds since 1970 is beyond what a JSON number holds exactly, so it comes as a text. */
function nanos(value: unknown): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) {
    return BigInt.asUintN(64, BigInt(value));
  }
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? BigInt.asUintN(64, BigInt(Math.trunc(value))) : 0n;
}
