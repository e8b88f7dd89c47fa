import type { AppError } from "@sightline/foundation/errors";
import protobuf from "protobufjs/minimal.js";
import { z } from "zod";

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
  const code = toGrpcCode(error.status);
  return isProtobuf ? Buffer.from(writeStatus(code, error.message).finish()) : JSON.stringify({ code, ...error.toBody() });
}

/** google.rpc.Status that asks to send again after so many seconds: with a RetryInfo. */
export function answerRetry(code: number, message: string, seconds: number): Buffer {
  const delay = protobuf.Writer.create().uint32(tag(1, 0)).int64(seconds).finish();
  const info = protobuf.Writer.create().uint32(tag(1, 2)).bytes(delay).finish();
  const named = protobuf.Writer.create().uint32(tag(1, 2)).string(RETRY_INFO).uint32(tag(2, 2)).bytes(info).finish();
  return Buffer.from(writeStatus(code, message).uint32(tag(3, 2)).bytes(named).finish());
}

/** The message of an error that was answered as a google.rpc.Status, or by another route in JSON. */
export function readErrorMessage(answer: Buffer): string {
  if (answer[0] !== tag(1, 0)) {
    return errorBody.parse(JSON.parse(answer.toString())).message;
  }
  const reader = protobuf.Reader.create(answer);
  reader.skipType(reader.uint32() & 7);
  reader.uint32();
  return reader.string();
}

/** The gRPC code of an HTTP status. */
export function toGrpcCode(status: number): number {
  return CODES[status] ?? (status >= 500 ? INTERNAL : INVALID_ARGUMENT);
}

const errorBody = z.object({ message: z.string() });
const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";
const INVALID_ARGUMENT = 3;
const INTERNAL = 13;
const CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 413: 8, 429: 8, 503: 14 };

function writeStatus(code: number, message: string): protobuf.Writer {
  return protobuf.Writer.create().uint32(tag(1, 0)).int32(code).uint32(tag(2, 2)).string(message);
}

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function reasonsOf(refused: readonly string[]): string {
  const kinds = [...new Set(refused)];
  const shown = kinds.slice(0, REASONS_SHOWN).map((reason) => reason.slice(0, MAX_REASON_LENGTH));
  return `${shown.join("; ")}${kinds.length > shown.length ? `; and ${kinds.length - shown.length} more` : ""}`;
}
