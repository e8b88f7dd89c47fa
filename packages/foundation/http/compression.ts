import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Below, the headers are most of what is sent. */
const WORTH_BYTES = 1024;
/** Half the time of zlib's own choice, for a few percent more bytes. */
const LEVEL = 3;

const compress = promisify(gzip);

/**
 * Sends larger answers compressed to who asks for it. Only where the request carried a credential that no other site can
 * make a browser send: what a secret is compressed with would else tell of it by its length.
 */
export function compressAnswers(server: Pick<FastifyInstance, "addHook">): void {
  server.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length < WORTH_BYTES || reply.hasHeader("content-encoding")) {
      return payload;
    }
    if (request.headers.authorization === undefined || !/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
      return payload;
    }
    reply.headers({ "content-encoding": "gzip", vary: [reply.getHeader("vary"), "Accept-Encoding"].filter(Boolean).join(", ") });
    reply.removeHeader("content-length");
    return compress(payload, { level: LEVEL });
  });
}
