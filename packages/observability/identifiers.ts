import { hash } from "node:crypto";
import { TRACE_ID } from "#contract.ts";

/**
 * Maps a trace id of OTLP (16 bytes that a producer chose) to a UUID. The same id in the same project is always the
 * same UUID, so that spans meet that come in any order, twice, or through another replica; in another project it is
 * another UUID.
 */
export function toTraceId(projectId: string, traceId: string): string {
  return uuidOf("trace", projectId, traceId);
}

/**
 * The ids that a trace may have in these projects by an id that somebody copied: its own, also without hyphens, or 32 hexadecimal digits
 * of OpenTelemetry. Empty when the text is no such id.
 */
export function listTraceIds(text: string, projectIds: readonly string[]): readonly string[] {
  if (!TRACE_ID.test(text)) {
    return [];
  }
  const hex = text.replaceAll("-", "").toLowerCase();
  return [hyphenate(hex), ...(text.includes("-") ? [] : projectIds.map((projectId) => toTraceId(projectId, hex)))];
}

/** Span ids are unique only within their trace. */
export function toObservationId(projectId: string, traceId: string, spanId: string): string {
  return uuidOf("span", projectId, traceId, spanId);
}

/** Makes an event's id: the same when the same content comes again, another when a producer sends a span again with other content. */
export function toEventId(projectId: string, type: string, body: string): string {
  return uuidOf("event", projectId, type, body);
}

/** Hashes the parts to a version 8 UUID (RFC 9562). */
function uuidOf(...parts: readonly string[]): string {
  return toVersion8(hash("sha256", parts.join("\n"), "buffer").subarray(0, 16));
}

export function toVersion8(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hyphenate(bytes.toString("hex"));
}

function hyphenate(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
