import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorCode, refusal, type AppError } from "#errors.ts";

/** Answers what is no HTTP, or never became a whole request: it gets as far as no route, and the connection is of no use after it. */
export function answerUnreadable(error: Error, socket: Socket): void {
  if (errorCode(error) === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refused = refusalOf(errorCode(error));
  const body = JSON.stringify(refused.toBody());
  socket.end(
    [
      `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? ""}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "cache-control: no-store",
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

function refusalOf(code: string | undefined): AppError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return refusal(431, "headers_too_large", "The request's headers are over 16 KiB together; send fewer, or shorter ones.");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refusal(408, "request_timeout", "The request did not arrive as a whole in time; send it again.");
  }
  return refusal(400, "invalid_request", "This is not HTTP/1.1 as the server reads it; check the request's line and headers.");
}
