import { Client, credentials, Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { freePort } from "@sightline/foundation/testing/private-server";
import protobuf from "protobufjs/minimal.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_STREAM_LENGTH } from "#config.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();
let api: ApiRig;
let port: number;
let client: Client;

beforeAll(async () => {
  port = await freePort();
  const { redis, stream, heartbeatKey } = otlp.rig;
  api = await createApiRig({ database: otlp.database, redisUrl: redis.url, stream, heartbeatKey, grpcPort: port });
  await api.server.ready();
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await api.close();
});

describe("OpenTelemetry's exporter over gRPC", () => {
  test.each(["none", "gzip"])("sends a whole trace, with compression %s", async (compression) => {
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${otlp.key}`);
    const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}`, metadata, compression: compression as never });
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": "support" }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.usage.input_tokens": 3 };
    provider.getTracer("agent").startSpan("chat m-1", { attributes }).end();
    await provider.shutdown();
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([{ input_tokens: 3, observation_list: [{ kind: "llm", model: "m-1" }] }]);
  });

  test("logs and metrics are answered", async () => {
    expect(await send(Buffer.alloc(0), { service: "logs.v1.LogsService" })).toEqual(Buffer.alloc(0));
    expect(await send(Buffer.alloc(0), { service: "metrics.v1.MetricsService" })).toEqual(Buffer.alloc(0));
  });
});

describe("a call over gRPC", () => {
  test("names the spans that were not taken", async () => {
    const answer = await send(request(Buffer.from([0x0a, 0x03, 1, 2, 3])));
    expect(answer.toString()).toContain("a span's trace_id is not 16 bytes");
  });

  test("takes the key as x-api-key too, and without one or with a wrong one it is UNAUTHENTICATED", async () => {
    expect(await send(Buffer.alloc(0), { header: "x-api-key" })).toEqual(Buffer.alloc(0));
    await expect(send(Buffer.alloc(0), { key: "" })).rejects.toMatchObject({ code: status.UNAUTHENTICATED, details: /API key/ });
    await expect(send(Buffer.alloc(0), { key: "studio_x" })).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    const { key } = await otlp.makeKey(["read"]);
    await expect(send(Buffer.alloc(0), { key })).rejects.toMatchObject({ code: status.PERMISSION_DENIED, details: /scope ingest/ });
  });

  test("that can't be read is INVALID_ARGUMENT, and one that is too long RESOURCE_EXHAUSTED without a second try", async () => {
    await expect(send(Buffer.from("hello, world"))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details: /can't be read/ });
    const long = await send(Buffer.alloc(16 * 1024 * 1024 + 1)).catch((error: unknown) => error as ServiceError);
    expect(long).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect((long as ServiceError).metadata.get("grpc-status-details-bin")).toEqual([]);
  });

  test("is asked to come again, with a RetryInfo, while the stream has no room", async () => {
    const { client: redis } = otlp.rig.redis;
    await redis.eval("for index = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'x', index) end", 1, otlp.rig.stream, MAX_STREAM_LENGTH);
    const span = protobuf.Writer.create().uint32(0x0a).bytes(Buffer.alloc(16, 1)).uint32(0x12).bytes(Buffer.alloc(8, 1));
    const timed = span.uint32(0x39).fixed64(1).uint32(0x41).fixed64(2).finish();
    const full = await send(request(timed)).catch((error: unknown) => error as ServiceError);
    expect(full).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: /stream is full/ });
    const [details] = (full as ServiceError).metadata.get("grpc-status-details-bin");
    // The last bytes are RetryInfo's: a delay of 15 seconds.
    expect(Buffer.from(details ?? "").toString("hex")).toMatch(/0a02080f$/);
    expect(Buffer.from(details ?? "").toString()).toContain("google.rpc.RetryInfo");
  });

  test("whose message never comes, without a key, is refused before it is read", async () => {
    const call = client.makeClientStreamRequest(PATH("trace.v1.TraceService"), same, same, new Metadata(), () => undefined);
    const ended = new Promise((resolve) => call.on("status", resolve));
    expect(await ended).toMatchObject({ code: status.UNAUTHENTICATED });
  });
});

test("a port that is in use is said when the server starts, and a server that stops ends its calls", async () => {
  const { redis, stream, heartbeatKey } = otlp.rig;
  const options = { database: otlp.database, redisUrl: redis.url, stream, heartbeatKey };
  const second = await createApiRig({ ...options, grpcPort: port });
  await expect(async () => second.server.ready()).rejects.toThrow(/OTLP_GRPC_PORT/);
  await second.close().catch(() => undefined);
  const other = await freePort();
  const third = await createApiRig({ ...options, grpcPort: other });
  await third.server.ready();
  await third.close();
  const late = new Client(`127.0.0.1:${other}`, credentials.createInsecure());
  await expect(send(Buffer.alloc(0), { to: late })).rejects.toMatchObject({ code: status.UNAVAILABLE });
  late.close();
});

type Sending = { readonly service?: string; readonly key?: string; readonly header?: string; readonly to?: Client };

const PATH = (service: string) => `/opentelemetry.proto.collector.${service}/Export`;
const same = (bytes: Buffer) => bytes;

async function send(message: Buffer, { service = "trace.v1.TraceService", key = otlp.key, header = "authorization", to }: Sending = {}) {
  const metadata = new Metadata();
  if (key !== "") {
    metadata.set(header, header === "authorization" ? `Bearer ${key}` : key);
  }
  return new Promise<Buffer>((resolve, reject) => {
    (to ?? client).makeUnaryRequest(PATH(service), same, same, message, metadata, (error, answer) =>
      error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
    );
  });
}

/** A request with one span. */
function request(span: Uint8Array): Buffer {
  const spans = protobuf.Writer.create().uint32(0x12).bytes(protobuf.Writer.create().uint32(0x12).bytes(span).finish()).finish();
  return Buffer.from(protobuf.Writer.create().uint32(0x0a).bytes(spans).finish());
}
