import { AppError } from "@sightline/foundation/errors";
import protobuf from "protobufjs/minimal.js";
import { UnreadableRequest, type OtlpEvent, type OtlpLink, type OtlpScopeSpans, type OtlpSpan, type OtlpValue } from "./otlp-span.ts";
import {
  delimited,
  fixed32,
  fixed64,
  readFields,
  readHex,
  readKeyValue,
  readMessage,
  readNanos,
  varint,
  type Reader,
} from "./read-wire.ts";
import { createRequestLimits, type RequestLimits } from "./request-limits.ts";

/** The fields of `opentelemetry/proto/trace/v1/trace.proto` that are read, by message; all others are skipped. */
const REQUEST = { resources: delimited(1) };
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

/**
 * Reads an ExportTraceServiceRequest field by field, so that it can stop at a limit, which a generated decoder cannot.
 *
 * @throws {UnreadableRequest} {@link AppError} 413.
 */
export function readProtobuf(body: Uint8Array): readonly OtlpScopeSpans[] {
  const batches: OtlpScopeSpans[] = [];
  readRequest(body, "ExportTraceServiceRequest", (reader, limits) => batches.push(...readResourceSpans(reader, limits)));
  return batches;
}

/**
 * Reads the only field of a request, as often as it is there.
 *
 * @throws {UnreadableRequest} {@link AppError} 413.
 */
export function readRequest(body: Uint8Array, name: string, readResource: (reader: Reader, limits: RequestLimits) => void): void {
  const reader = protobuf.Reader.create(body);
  const limits = createRequestLimits();
  try {
    readFields(reader, reader.len, (tag) => {
      if (tag !== REQUEST.resources) {
        return false;
      }
      readResource(reader, limits);
      return true;
    });
  } catch (error) {
    const isOurs = error instanceof UnreadableRequest || error instanceof AppError;
    throw isOurs ? error : new UnreadableRequest(`it is no ${name}`, { cause: error });
  }
}

function readResourceSpans(reader: Reader, limits: RequestLimits): readonly OtlpScopeSpans[] {
  const resource = new Map<string, OtlpValue>();
  const scopes: Omit<OtlpScopeSpans, "resource">[] = [];
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case RESOURCE_SPANS.resource:
        readMessage(reader, limits, (inner) => inner === RESOURCE.attributes && readKeyValue(reader, limits, resource, 0));
        return true;
      case RESOURCE_SPANS.scopeSpans:
        scopes.push(readScopeSpans(reader, limits));
        return true;
      default:
        return false;
    }
  });
  return scopes.map((scope) => ({ ...scope, resource }));
}

function readScopeSpans(reader: Reader, limits: RequestLimits): Omit<OtlpScopeSpans, "resource"> {
  const scope = { name: "", version: "" };
  const spans: OtlpSpan[] = [];
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case SCOPE_SPANS.scope:
        readMessage(reader, limits, (inner) => readScopeField(reader, inner, scope));
        return true;
      case SCOPE_SPANS.spans:
        limits.countSpan();
        spans.push(readSpan(reader, limits));
        return true;
      default:
        return false;
    }
  });
  return { scope, spans };
}

function readScopeField(reader: Reader, tag: number, scope: { name: string; version: string }): boolean {
  switch (tag) {
    case SCOPE.name:
      scope.name = reader.string();
      return true;
    case SCOPE.version:
      scope.version = reader.string();
      return true;
    default:
      return false;
  }
}

function readSpan(reader: Reader, limits: RequestLimits): OtlpSpan {
  const span = { traceId: "", spanId: "", parentSpanId: "", name: "", flags: 0, startNanos: 0n, endNanos: 0n };
  const attributes = new Map<string, OtlpValue>();
  const events: OtlpEvent[] = [];
  const links: OtlpLink[] = [];
  const status = { code: 0, message: "" };
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case SPAN.traceId:
        span.traceId = readHex(reader);
        return true;
      case SPAN.spanId:
        span.spanId = readHex(reader);
        return true;
      case SPAN.parentSpanId:
        span.parentSpanId = readHex(reader);
        return true;
      case SPAN.name:
        span.name = reader.string();
        return true;
      case SPAN.start:
        span.startNanos = readNanos(reader);
        return true;
      case SPAN.end:
        span.endNanos = readNanos(reader);
        return true;
      case SPAN.attributes:
        return readKeyValue(reader, limits, attributes, 0);
      case SPAN.events:
        events.push(readEvent(reader, limits));
        return true;
      case SPAN.links:
        links.push(readLink(reader, limits));
        return true;
      case SPAN.status:
        readMessage(reader, limits, (inner) => readStatusField(reader, inner, status));
        return true;
      case SPAN.flags:
        span.flags = reader.fixed32();
        return true;
      default:
        return false;
    }
  });
  return { ...span, attributes, events, links, status };
}

function readStatusField(reader: Reader, tag: number, status: { code: number; message: string }): boolean {
  switch (tag) {
    case STATUS.message:
      status.message = reader.string();
      return true;
    case STATUS.code:
      status.code = reader.int32();
      return true;
    default:
      return false;
  }
}

function readEvent(reader: Reader, limits: RequestLimits): OtlpEvent {
  const event = { name: "", nanos: 0n };
  const attributes = new Map<string, OtlpValue>();
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case EVENT.time:
        event.nanos = readNanos(reader);
        return true;
      case EVENT.name:
        event.name = reader.string();
        return true;
      case EVENT.attributes:
        return readKeyValue(reader, limits, attributes, 0);
      default:
        return false;
    }
  });
  return { ...event, attributes };
}

function readLink(reader: Reader, limits: RequestLimits): OtlpLink {
  const link = { traceId: "", spanId: "" };
  const attributes = new Map<string, OtlpValue>();
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case LINK.traceId:
        link.traceId = readHex(reader);
        return true;
      case LINK.spanId:
        link.spanId = readHex(reader);
        return true;
      case LINK.attributes:
        return readKeyValue(reader, limits, attributes, 0);
      default:
        return false;
    }
  });
  return { ...link, attributes };
}
