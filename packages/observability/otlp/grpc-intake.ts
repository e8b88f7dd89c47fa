import { Metadata, Server, ServerCredentials, status, type handleClientStreamingCall, type sendUnaryData } from "@grpc/grpc-js";
import { errorMessage } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { answerRetry, PROTOBUF_TYPE, readErrorMessage, toGrpcCode } from "./otlp-answer.ts";
import { createAdmission, MAX_SENT_BYTES } from "./request-memory.ts";

/** The service of each signal, and the path over HTTP that does the same. */
const SERVICES = { "trace.v1.TraceService": "/v1/traces", "logs.v1.LogsService": "/v1/logs", "metrics.v1.MetricsService": "/v1/metrics" };
/** Answered to a key that may send, and to no other. */
const WHOSE_PATH = "/api/public/projects";

/** Messages that are being read at once, half of them with one key. */
const MAX_READ_AT_ONCE = 32;
const MAX_READ_MS = 30_000;
const MAX_STREAMS_OF_CONNECTION = 100;
const BUSY_SECONDS = 2;
/** Less than the server's own patience. */
const DRAIN_MS = 4_000;

type Call = Parameters<handleClientStreamingCall<Buffer, Buffer>>[0];
type Answer = Awaited<ReturnType<HttpServer["inject"]>>;
export type GrpcAddress = { readonly host: string; readonly port: number };

class GrpcFailure extends Error {
  readonly code: number;
  readonly metadata = new Metadata();

  /** @param seconds after which it may be sent again: exporters try again after RESOURCE_EXHAUSTED only where it says so. */
  constructor(code: number, message: string, seconds?: number) {
    super(message);
    this.code = code;
    if (seconds !== undefined) {
      this.metadata.set("grpc-status-details-bin", answerRetry(code, message, seconds));
    }
  }
}

/**
 * OTLP over gRPC, without TLS, on a port of its own while the server runs. Each call becomes a request to the route of OTLP/HTTP: keys, limits,
 * what is refused in part and what is counted are the same. Nothing of a call is read before its key is known.
 */
export async function serveGrpc(server: HttpServer, { host, port }: GrpcAddress, log: Logger): Promise<void> {
  const admit = createAdmission(MAX_READ_AT_ONCE);
  const grpc = new Server({
    "grpc.max_receive_message_length": MAX_SENT_BYTES,
    "grpc.max_concurrent_streams": MAX_STREAMS_OF_CONNECTION,
  });
  const same = (bytes: Buffer) => bytes;
  const codecs = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  for (const [service, url] of Object.entries(SERVICES)) {
    const path = `/opentelemetry.proto.collector.${service}/Export`;
    // A stream of requests, of which the one message is the first: on the wire it is the same, and it waits until it is asked for.
    const definition = { Export: { path, requestStream: true, responseStream: false, ...codecs } };
    grpc.addService(definition, { Export: answering(async (call) => take(call, url)) });
  }
  server.addHook("onReady", async () => {
    await new Promise<void>((resolve, reject) => {
      grpc.bindAsync(`${host.includes(":") ? `[${host}]` : host}:${port}`, ServerCredentials.createInsecure(), (error) =>
        error === null
          ? resolve()
          : reject(new Error(`OTLP over gRPC can't use port ${port} (OTLP_GRPC_PORT): ${error.message}`, { cause: error })),
      );
    });
    log.info({ port }, "OTLP over gRPC is served");
  });
  server.addHook("preClose", async () => {
    await new Promise<void>((resolve) => {
      const patience = setTimeout(() => grpc.forceShutdown(), DRAIN_MS);
      grpc.tryShutdown(() => {
        clearTimeout(patience);
        resolve();
      });
    });
  });

  async function take(call: Call, url: string): Promise<Buffer> {
    const headers = Object.fromEntries(
      ["authorization", "x-api-key"].flatMap((name) => call.metadata.get(name).map((value) => [name, String(value)])),
    );
    const remoteAddress = call.getPeer().replace(/:\d+$/, "");
    await orFail(server.inject({ url: WHOSE_PATH, headers, remoteAddress }));
    const payload = await read(call, Object.values(headers).join());
    const sent = { ...headers, "content-type": PROTOBUF_TYPE };
    return (await orFail(server.inject({ method: "POST", url, headers: sent, payload, remoteAddress }))).rawPayload;
  }

  async function read(call: Call, key: string): Promise<Buffer> {
    const release = admit(key, 1);
    if (release === undefined) {
      throw new GrpcFailure(status.RESOURCE_EXHAUSTED, "Too many messages arrive at once; send it again.", BUSY_SECONDS);
    }
    const late = setTimeout(() => call.destroy(new Error("the message did not arrive in time")), MAX_READ_MS);
    try {
      const { value } = await call[Symbol.asyncIterator]().next();
      return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
    } finally {
      clearTimeout(late);
      release();
      // What comes after the message is no part of it, and is let go.
      call.resume();
    }
  }
}

function answering(take: (call: Call) => Promise<Buffer>): handleClientStreamingCall<Buffer, Buffer> {
  const answer = async (call: Call, callback: sendUnaryData<Buffer>): Promise<void> => {
    try {
      callback(null, await take(call));
    } catch (error) {
      const away = `Not taken; send it again: ${errorMessage(error)}`;
      callback(error instanceof GrpcFailure ? error : new GrpcFailure(status.UNAVAILABLE, away));
    }
  };
  return (call, callback) => {
    call.on("error", () => undefined);
    call.once("cancelled", () => call.destroy());
    void answer(call, callback);
  };
}

async function orFail(answered: Promise<Answer>): Promise<Answer> {
  const answer = await answered;
  if (answer.statusCode === 200) {
    return answer;
  }
  const seconds = Number(answer.headers["retry-after"]);
  throw new GrpcFailure(
    toGrpcCode(answer.statusCode),
    readErrorMessage(answer.rawPayload),
    Number.isSafeInteger(seconds) ? seconds : undefined,
  );
}
