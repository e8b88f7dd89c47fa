import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "@sightline/foundation/errors";
import { UnreadableRequest } from "./otlp-span.ts";

/** Bytes of a request as it is sent, and unpacked. */
export const SENT_MAX = 16 * 1024 * 1024;
export const UNPACKED_MAX = 32 * 1024 * 1024;

const unzip = promisify(gunzip);

/** @throws {AppError} 413, 415. @throws {UnreadableRequest} */
export async function unpackBody(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  switch ((encoding ?? "identity").trim().toLowerCase()) {
    case "":
    case "identity":
      return body;
    case "gzip":
      return unzipWithin(body);
    default:
      throw new AppError({ code: "unsupported_encoding", status: 415, message: "Send the body as it is, or with Content-Encoding: gzip." });
  }
}

async function unzipWithin(body: Buffer): Promise<Buffer> {
  try {
    return await unzip(body, { maxOutputLength: UNPACKED_MAX });
  } catch (error) {
    if (error instanceof RangeError) {
      const message = `The request unpacks to more than ${UNPACKED_MAX} bytes; send smaller batches.`;
      throw new AppError({ code: "body_too_large", status: 413, message, cause: error });
    }
    throw new UnreadableRequest("it is no gzip", { cause: error });
  }
}
