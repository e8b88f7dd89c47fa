import { hash } from "node:crypto";

/**
 * OTLP's ids are 16 and 8 bytes of a producer's own choice, the product's are UUIDs. The same id in the same project is always
 * the same UUID, so that spans that come in any order, again, or through another replica meet; in another project it is another.
 */
export function traceIdOf(projectId: string, traceId: string): string {
  return uuidOf("trace", projectId, traceId);
}

/** Span ids are chosen anew in each trace. */
export function observationIdOf(projectId: string, traceId: string, spanId: string): string {
  return uuidOf("span", projectId, traceId, spanId);
}

/** The same event when the same content comes again; another one when a producer sends a span again with other content. */
export function eventIdOf(projectId: string, type: string, body: string): string {
  return uuidOf("event", projectId, type, body);
}

/** A version 8 UUID (RFC 9562) of what the parts hash to. */
function uuidOf(...parts: readonly string[]): string {
  return toVersion8(hash("sha256", parts.join("\n"), "buffer").subarray(0, 16));
}

export function toVersion8(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
