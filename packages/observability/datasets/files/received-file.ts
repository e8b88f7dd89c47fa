import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { errorCode, refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

type Sent = { readonly body: Readable; readonly encoding: string | undefined };

/**
 * Receives a file whole before it is used: a slow client, or one that goes away, must hold no lock. It is on the disk meanwhile, without
 * a name, so that nothing of it stays when this process ends.
 *
 * @throws {AppError} 413 `body_too_large`, 415 `unsupported_encoding`, 400 `body_incomplete`, 400 `invalid_gzip`.
 */
export async function withReceivedFile<Result>(
  { body, encoding = "identity" }: Sent,
  use: (content: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  if (encoding !== "identity" && encoding !== "gzip") {
    throw refusal(415, "unsupported_encoding", "Send the file as it is, or with Content-Encoding: gzip.");
  }
  const path = join(tmpdir(), `sightline-import-${uuidv7()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    await file.writeFile(limited(arriving(body)));
    const content = file.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
    return await use(encoding === "gzip" ? limited(unpacked(content)) : content);
  } finally {
    await file.close();
  }
}

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw refusal(413, "body_too_large", `A file has ${MAX_BYTES / 1024 / 1024} MiB at the most, unpacked. Send it in parts.`);
    }
    yield chunk;
  }
}

async function* arriving(body: Readable): AsyncGenerator<Buffer> {
  try {
    // What is left of a body that is refused is taken behind the answer: it is not ended with the reading.
    yield* body.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw errorCode(error) === "ECONNRESET"
      ? refusal(400, "body_incomplete", "The file did not arrive whole. Nothing was written.", { cause: error })
      : error;
  }
}

async function* unpacked(content: Readable): AsyncGenerator<Buffer> {
  // What goes wrong on the way ends the reading below.
  const stream: AsyncIterable<Buffer> = pipeline(content, createGunzip(), () => undefined);
  try {
    yield* stream;
  } catch (error) {
    throw errorCode(error)?.startsWith("Z_") === true
      ? refusal(400, "invalid_gzip", "The file is no whole gzip. Nothing was written.", { cause: error })
      : error;
  }
}
