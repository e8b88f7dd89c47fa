import { type AppError, errorMessage, orRefuse, refusal } from "@sightline/foundation/errors";
import { toAppError } from "@sightline/foundation/http/http-errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { LogMemory } from "./log-memory.ts";
import { createAdmission, MAX_SENT_BYTES } from "./request-memory.ts";
import type { IntakeMetrics } from "./intake-metrics.ts";
import { answerError, answerSuccess, PROTOBUF_TYPE } from "./otlp-answer.ts";
import { UnreadableRequest, type OtlpScopeSpans } from "#otlp/wire/otlp-span.ts";
import { readJson, readJsonLogs } from "#otlp/wire/read-json.ts";
import { readProtobuf } from "#otlp/wire/read-protobuf.ts";
import { readProtobufLogs } from "#otlp/wire/read-protobuf-logs.ts";
import { isEvaluation } from "./evaluation-scores.ts";
import { readSpans } from "./read-spans.ts";
import { senderOf } from "./sender.ts";
import { toScoreEvents, toSpanEvents, type DraftEvent } from "./span-events.ts";
import type { SpanMemory } from "./span-memory.ts";
import { publishOrRefuse, retryLater, whileThere, type StreamPublisher } from "./stream-publisher.ts";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";

/** `ExportTraceServiceResponse`, in the encoding of the request. */
const answered = {
  description: "What was taken, and what was refused of it: `ExportTraceServiceResponse`.",
  content: { "application/json": { schema: z.unknown() }, [PROTOBUF_TYPE]: { schema: z.unknown() } },
};

/** The most bytes of a request as it is unpacked. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

const unzip = promisify(gunzip);

/** @throws {AppError} 413, 415. @throws {UnreadableRequest} */
async function unpackBody(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  switch ((encoding ?? "identity").trim().toLowerCase()) {
    case "":
    case "identity":
      return body;
    case "gzip":
      return unzipWithin(body);
    default:
      throw refusal(415, "unsupported_encoding", "Send the body as it is, or with Content-Encoding: gzip.");
  }
}

async function unzipWithin(body: Buffer): Promise<Buffer> {
  try {
    return await unzip(body, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if (error instanceof RangeError) {
      const message = `The request unpacks to more than ${MAX_UNPACKED_BYTES} bytes; send smaller batches.`;
      throw refusal(413, "body_too_large", message, { cause: error });
    }
    throw new UnreadableRequest("it is no gzip", { cause: error });
  }
}

type OtlpOptions = {
  readonly publisher: Pick<StreamPublisher, "publish">;
  readonly memory: SpanMemory;
  readonly logs: LogMemory;
  readonly metrics: IntakeMetrics;
};
type Request = Parameters<typeof senderOf>[0];
type RequestError = Parameters<typeof toAppError>[0];

/** Paths that exporters send to; the second is where Langfuse's SDKs do, once their base address is ours. */
const PATHS = ["/v1/traces", "/api/public/otel/v1/traces"];

const BUSY_SECONDS = 2;

/** Serves OTLP/HTTP. 200 means that every span is on the stream except those that `partial_success` names. */
export function otlpRoutes({ publisher, memory, logs, metrics }: OtlpOptions) {
  const admit = createAdmission();
  const leave = new WeakMap<Request, () => void>();

  return async (server: HttpServer): Promise<void> => {
    await server.register(async (scope: HttpServer) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        ["application/json", PROTOBUF_TYPE],
        { parseAs: "buffer", bodyLimit: MAX_SENT_BYTES },
        async (_request: unknown, body: unknown) => body,
      );
      scope.setErrorHandler((error: RequestError, request, reply) => {
        const refused = refusalOf(error);
        if (refused.status >= 500) {
          request.log.warn({ reason: errorMessage(error) }, "spans could not be taken");
        }
        metrics.requests.inc({ status: String(refused.status) });
        void reply
          .headers({ "cache-control": "no-store", ...refused.headers })
          .status(refused.status)
          .type(isProtobuf(request) ? PROTOBUF_TYPE : "application/json")
          .serializer((body: unknown) => body as string)
          .send(answerError(isProtobuf(request), refused));
      });
      scope.addHook("onRequest", async (request) => {
        const release = orRefuse(admit(senderOf(request).projectId, roomFor(request)), () =>
          retryLater({
            code: "busy",
            status: 429,
            seconds: BUSY_SECONDS,
            message: "Too many spans arrive at once; send them again.",
          }),
        );
        leave.set(request, release);
      });
      scope.addHook("preHandler", async (request, reply) => {
        reply.type(isProtobuf(request) ? PROTOBUF_TYPE : "application/json").serializer((body: unknown) => body as string);
      });
      scope.addHook("onResponse", async (request) => leave.get(request)?.());

      const schema = {
        summary: "OTLP/HTTP: spans of an OpenTelemetry exporter, as protobuf or JSON; by an API key with the scope ingest",
        response: { 200: answered },
      };
      for (const path of PATHS) {
        scope.post(path, { config: { auth: "ingest" }, bodyLimit: MAX_SENT_BYTES, schema }, async (request) => {
          const projectId = senderOf(request).projectId;
          const batches = await readBody(request, { json: readJson, protobuf: readProtobuf });
          const refused = await publish(projectId, await whileThere(logs.joinLogs(projectId, batches)));
          metrics.refused.inc(refused.length);
          return succeed(request, refused);
        });
      }

      const taken = { 200: { ...answered, description: "Taken, or left out without a word." } };
      scope.post(
        "/v1/logs",
        {
          config: { auth: "ingest" },
          bodyLimit: MAX_SENT_BYTES,
          schema: {
            summary: "OTLP/HTTP: records of logs; GenAI's events among them become messages and scores of their spans",
            response: taken,
          },
        },
        async (request) => {
          const projectId = senderOf(request).projectId;
          const records = await readBody(request, { json: readJsonLogs, protobuf: readProtobufLogs });
          await publishOrRefuse(publisher, projectId, toScoreEvents(projectId, records));
          const messages = records.filter(({ event }) => !isEvaluation(event));
          await publish(projectId, await whileThere(logs.addLogs(projectId, messages)), isOfStep);
          return succeed(request);
        },
      );
      scope.post(
        "/v1/metrics",
        {
          config: { auth: "ingest" },
          bodyLimit: MAX_SENT_BYTES,
          schema: { summary: "OTLP/HTTP: metrics, which are not kept, so that no exporter complains", response: taken },
        },
        async (request) => succeed(request),
      );
    });
  };

  function succeed(request: Request, refused: readonly string[] = []) {
    metrics.requests.inc({ status: "200" });
    return answerSuccess(isProtobuf(request), refused);
  }

  /** @returns why which spans are not taken. */
  async function publish(
    projectId: string,
    batches: readonly OtlpScopeSpans[],
    isWanted: (event: DraftEvent) => boolean = () => true,
  ): Promise<readonly string[]> {
    const spans = readSpans(batches);
    const around = await whileThere(memory.findAround(projectId, spans.spans));
    const events = toSpanEvents(projectId, spans, around).filter(isWanted);
    await publishOrRefuse(publisher, projectId, events);
    return spans.refused;
  }
}

/** A span that is sent once more because something was logged in it says no more of its trace than what stands in for the start, which hides no start of the trace's own. */
function isOfStep({ type, body }: DraftEvent): boolean {
  return type === "observation.start" || type === "observation.end" || (type === "trace.start" && body.includes('"stands_in_since"'));
}

type Readers<Read> = Readonly<Record<"json" | "protobuf", (body: Uint8Array) => Read>>;

async function readBody<Read>(request: Request, readers: Readers<Read>): Promise<Read> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const unpacked = await unpackBody(body, request.headers["content-encoding"]);
  if (unpacked.length > MAX_UNPACKED_BYTES) {
    throw refusal(413, "body_too_large", "The request is too large; send smaller batches.");
  }
  return isProtobuf(request) ? readers.protobuf(unpacked) : readers.json(unpacked);
}

function isProtobuf({ headers }: Request): boolean {
  return (headers["content-type"] ?? "").toLowerCase().startsWith(PROTOBUF_TYPE);
}

/** The memory a request may need while it is read: what it sends, and what that unpacks to. */
function roomFor({ headers }: Request): number {
  const length = Number(headers["content-length"] ?? MAX_SENT_BYTES);
  const sent = Number.isSafeInteger(length) && length >= 0 ? Math.min(length, MAX_SENT_BYTES) : MAX_SENT_BYTES;
  return headers["content-encoding"] === undefined ? sent : Math.min(sent * 10, MAX_UNPACKED_BYTES) + sent;
}

function refusalOf(error: RequestError): AppError {
  if (error instanceof UnreadableRequest) {
    return refusal(400, "invalid_request", `The request can't be read: ${error.message}.`, { cause: error });
  }
  const refused = toAppError(error);
  return refused.code === "unsupported_media_type"
    ? refusal(415, refused.code, `Send OTLP with Content-Type: ${PROTOBUF_TYPE} or application/json.`)
    : refused;
}
