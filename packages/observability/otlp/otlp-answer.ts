import type { AppError } from "@sightline/foundation/errors";
import protobuf from "protobufjs/minimal.js";

export const PROTOBUF_TYPE = "application/x-protobuf";

/** How many reasons are shown for refused spans. */
const REASONS_SHOWN = 5;
const MAX_REASON_LENGTH = 300;

type Answer = string | Buffer;

/** ExportTraceServiceResponse: with `partial_success` when spans were refused. */
export function answerSuccess(isProtobuf: boolean, refused: readonly string[]): Answer {
  if (refused.length === 0) {
    return isProtobuf ? Buffer.alloc(0) : "{}";
  }
  const message = reasonsOf(refused);
  if (!isProtobuf) {
    return JSON.stringify({ partialSuccess: { rejectedSpans: String(refused.length), errorMessage: message } });
  }
  const partial = protobuf.Writer.create().uint32(tag(1, 0)).int64(refused.length).uint32(tag(2, 2)).string(message).finish();
  return Buffer.from(protobuf.Writer.create().uint32(tag(1, 2)).bytes(partial).finish());
}

/** google.rpc.Status; in JSON with the product's own `error` beside it. */
export function answerError(isProtobuf: boolean, error: AppError): Answer {
  const code = CODES[error.status] ?? (error.status >= 500 ? INTERNAL : INVALID_ARGUMENT);
  if (!isProtobuf) {
    return JSON.stringify({ code, ...error.toBody() });
  }
  return Buffer.from(protobuf.Writer.create().uint32(tag(1, 0)).int32(code).uint32(tag(2, 2)).string(error.message).finish());
}

const INVALID_ARGUMENT = 3;
const INTERNAL = 13;
/** The gRPC codes of HTTP statuses. */
const CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 413: 8, 429: 8, 503: 14 };

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function reasonsOf(refused: readonly string[]): string {
  const kinds = [...new Set(refused)];
  const shown = kinds.slice(0, REASONS_SHOWN).map((reason) => reason.slice(0, MAX_REASON_LENGTH));
  return `${shown.join("; ")}${kinds.length > shown.length ? `; and ${kinds.length - shown.length} more` : ""}`;
}
