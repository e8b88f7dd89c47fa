import { toLogAttributes, toText, type OtlpLog, type OtlpValue } from "./otlp-span.ts";
import { readRequest } from "./read-protobuf.ts";
import { delimited, fixed64, readHex, readKeyValue, readMessage, readNanos, readValue, type Reader } from "./read-wire.ts";
import type { RequestLimits } from "./request-limits.ts";

/** The fields of `opentelemetry/proto/logs/v1/logs.proto` that are read, by message. */
const RESOURCE_LOGS = { scopeLogs: delimited(2) };
const SCOPE_LOGS = { records: delimited(2) };
const RECORD = {
  time: fixed64(1),
  body: delimited(5),
  attributes: delimited(6),
  traceId: delimited(9),
  spanId: delimited(10),
  observed: fixed64(11),
  eventName: delimited(12),
};

/** Reads the records of an ExportLogsServiceRequest. @throws {UnreadableRequest} */
export function readProtobufLogs(body: Uint8Array): readonly OtlpLog[] {
  const logs: OtlpLog[] = [];
  readRequest(body, "ExportLogsServiceRequest", (reader, limits) =>
    readMessage(reader, limits, (tag) => {
      if (tag !== RESOURCE_LOGS.scopeLogs) {
        return false;
      }
      readMessage(reader, limits, (inner) => inner === SCOPE_LOGS.records && logs.push(readRecord(reader, limits)) > 0);
      return true;
    }),
  );
  return logs;
}

function readRecord(reader: Reader, limits: RequestLimits): OtlpLog {
  limits.countSpan();
  const record = { traceId: "", spanId: "", name: "", nanos: 0n, observed: 0n };
  const attributes = new Map<string, OtlpValue>();
  let body: OtlpValue | undefined;
  readMessage(reader, limits, (tag) => {
    switch (tag) {
      case RECORD.time:
        record.nanos = readNanos(reader);
        return true;
      case RECORD.observed:
        record.observed = readNanos(reader);
        return true;
      case RECORD.traceId:
        record.traceId = readHex(reader);
        return true;
      case RECORD.spanId:
        record.spanId = readHex(reader);
        return true;
      case RECORD.eventName:
        record.name = reader.string();
        return true;
      case RECORD.attributes:
        return readKeyValue(reader, limits, attributes, 0);
      case RECORD.body:
        body = readValue(reader, limits, 0);
        return true;
      default:
        return false;
    }
  });
  const { traceId, spanId, nanos, observed } = record;
  const name = record.name || (toText(attributes.get("event.name")) ?? "");
  return { traceId, spanId, event: { name, nanos: nanos || observed, attributes: toLogAttributes(attributes, body) } };
}
