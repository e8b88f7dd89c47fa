import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Clock } from "@sightline/foundation/clock";
import { refusal } from "@sightline/foundation/errors";
import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { scipUploadAnswerSchema, uploadScipRequestSchema } from "#contract.ts";
import { createSemaphore } from "@sightline/foundation/semaphore";
import { MAX_SENT_BYTES, notScip } from "#scip/format/scip-errors.ts";
import { uploadScip } from "#scip/upload-scip.ts";
import { untilAborted, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { findRepository, repositoryParamsSchema } from "#http/kit/find-repository.ts";
import { getAccess, getBranch, whileAwaited, type IncomingRequest } from "#http/kit/request-tenant.ts";

/** How a SCIP index may be declared. */
const CONTENT_TYPES = ["application/octet-stream", "application/x-protobuf", "application/protobuf", "application/vnd.google.protobuf"];

export function scipRoutes({ database, clock }: { readonly database: CodeIndexDatabase; readonly clock: Clock }): Routes {
  // One of a tenant at a time: each holds what it has read until it is written.
  const limit = createSemaphore({ atOnce: 1, waitMs: 30_000 });
  return (server) => {
    server.removeAllContentTypeParsers();
    // Read as it arrives.
    server.addContentTypeParser(CONTENT_TYPES, async (_request: IncomingRequest, body: Readable) => body);
    server.addContentTypeParser("*", (_request, _body, done) =>
      done(refusal(415, "unsupported_media_type", `Send the SCIP index as it is, with Content-Type: ${CONTENT_TYPES[0]}.`)),
    );
    server.post(
      "/api/v1/repos/:repo_id/scip",
      route("uploader", "Upload the SCIP index of a commit, as scip-typescript, scip-python and others write it; gzip is read, too", {
        params: repositoryParamsSchema,
        querystring: uploadScipRequestSchema,
        response: { 200: scipUploadAnswerSchema },
      }),
      async (request, reply) => {
        const access = getAccess(request);
        const { id: repoId, full_name: repo } = await findRepository(database, access, request.params.repo_id);
        const body = unpacked(request.body, request.headers["content-encoding"]);
        const awaited = untilAborted(database, whileAwaited(reply.raw));
        const uploading = { repo, repoId, commit: request.query.commit, branch: getBranch(request), body, now: clock.now() };
        return uploadScip({ database: awaited, limit }, access, uploading);
      },
    );
  };
}

/** The bytes of the index as they arrive. @throws {AppError} 413, 415, `invalid_scip` (400). */
async function* unpacked(body: unknown, encoding = "identity"): AsyncGenerator<Buffer> {
  const isPacked = encoding.trim().toLowerCase() === "gzip";
  if (!isPacked && encoding !== "identity") {
    throw refusal(415, "unsupported_encoding", "Send the body as it is, or with Content-Encoding: gzip.");
  }
  // What is left of a body that is refused is taken behind the answer: it is not ended with the reading.
  const sent = limited(body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : []);
  if (!isPacked) {
    yield* sent;
    return;
  }
  // What goes wrong on the way ends the reading below.
  const stream = pipeline(sent, createGunzip(), () => undefined);
  try {
    for await (const piece of stream) {
      yield piece as Buffer;
    }
  } catch (error) {
    throw error instanceof Error && "code" in error && String(error.code).startsWith("Z_") ? notScip("it is no gzip", error) : error;
  }
}

async function* limited(body: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_SENT_BYTES) {
      throw refusal(
        413,
        "body_too_large",
        `A SCIP index has ${MAX_SENT_BYTES / 1024 / 1024} MiB at the most, as it is sent; send it with gzip.`,
      );
    }
    yield piece;
  }
}
