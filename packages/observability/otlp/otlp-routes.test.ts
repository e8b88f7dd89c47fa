import { gzipSync } from "node:zlib";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, test } from "vitest";
import { MAX_STREAM_LENGTH } from "#config.ts";
import { createApiRig } from "#testing/api-rig.ts";
import { jsonRequest, jsonSpan, TRACE } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";
import { createTcpProxy } from "@sightline/foundation/testing/tcp-proxy";
import { createAdmission } from "./request-memory.ts";

const otlp = useOtlpRig();

const PROTOBUF = { "content-type": "application/x-protobuf" };
const GZIP = { "content-encoding": "gzip" };
const MEBIBYTE = 1024 * 1024;

test("a trace is found by the id that OpenTelemetry gave it: in the list, by the API, and where it is, by its own alike", async () => {
  await otlp.send(jsonRequest([jsonSpan("a".repeat(16), 0)]));
  await otlp.store();
  const [trace] = await otlp.traces();
  const { projectId } = otlp.rig;
  const own = trace?.id ?? "";
  for (const id of [TRACE, TRACE.toUpperCase(), own, own.replaceAll("-", "")]) {
    const place = await otlp.api.get(`/api/v1/traces/${id}/place`);
    expect(place, id).toMatchObject({ status: 200, body: { project_id: projectId, trace_id: own } });
    expect((await otlp.api.get(`/api/v1/traces/${id}`)).body, id).toMatchObject({ id: own });
    const { body } = await otlp.api.get(`/api/v1/projects/${projectId}/traces?q=${id}`);
    expect(body["items"], id).toMatchObject([{ id: own }]);
  }
  expect(await otlp.api.get(`/api/v1/traces/${"b".repeat(32)}/place`)).toMatchObject({ status: 404, body: { error: "trace_not_found" } });
  expect(await otlp.api.get(`/api/v1/traces/${TRACE}/place`, "tenant-2:member")).toMatchObject({ status: 404 });
  expect(await otlp.api.get(`/api/v1/traces/${TRACE}0/place`)).toMatchObject({ status: 400 });
});

describe("POST /v1/traces answers 200", () => {
  test("{} to JSON and nothing to protobuf when all spans were taken, none included", async () => {
    expect(await otlp.send(jsonRequest([jsonSpan("a".repeat(16), 0)]))).toMatchObject({ status: 200, body: "{}" });
    expect(await otlp.send({})).toMatchObject({ status: 200, body: "{}" });
    const empty = await otlp.send(Buffer.alloc(0), PROTOBUF);
    expect(empty).toMatchObject({ status: 200, headers: { "content-type": "application/x-protobuf" } });
    expect(empty.bytes).toHaveLength(0);
  });

  test("and tells how many spans were refused and why, while the others are on the stream", async () => {
    const good = jsonSpan("a".repeat(16), 0);
    const bad = [
      jsonSpan("a".repeat(15), 1),
      jsonSpan("0".repeat(16), 1),
      jsonSpan("b".repeat(16), 1, { traceId: "" }),
      jsonSpan("b".repeat(16), 1, { traceId: `${TRACE}00` }),
      jsonSpan("b".repeat(16), 1, { startTimeUnixNano: "0", endTimeUnixNano: "0" }),
      jsonSpan("c".repeat(16), 1, { startTimeUnixNano: "0", endTimeUnixNano: "0" }),
    ];
    const answer = await otlp.send(jsonRequest([good, ...bad]));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      partialSuccess: { rejectedSpans: "6", errorMessage: expect.stringMatching(/span_id that is not 8 bytes.*neither start_time/) },
    });
    expect((await spanIds()).size).toBe(1);
  });

  test("in protobuf too, as partial_success", async () => {
    const span = protobuf.Writer.create().uint32(0x0a).bytes(Buffer.alloc(3)).finish();
    const spans = protobuf.Writer.create().uint32(0x12).bytes(span).finish();
    const resource = protobuf.Writer.create().uint32(0x12).bytes(spans).finish();
    const { status, bytes } = await otlp.send(Buffer.from(protobuf.Writer.create().uint32(0x0a).bytes(resource).finish()), PROTOBUF);
    expect(status).toBe(200);
    const reader = protobuf.Reader.create(bytes);
    expect(reader.uint32()).toBe(0x0a);
    reader.uint32();
    expect([reader.uint32(), Number(reader.int64()), reader.uint32(), reader.string()]).toEqual([
      0x08,
      1,
      0x12,
      "a span's trace_id is not 16 bytes, or all zero",
    ]);
  });

  test("and keeps what contradicts itself in a span or is too long, bent or cut, and named in its attributes", async () => {
    const long = (key: string, length: number) => ({ key, value: { stringValue: "x".repeat(length) } });
    const many = {
      key: "many",
      value: { arrayValue: { values: Array.from({ length: 5_000 }, () => ({ stringValue: "y".repeat(900) })) } },
    };
    const odd = [
      jsonSpan("a".repeat(16), 0, { attributes: Array.from({ length: 5 }, (_, index) => long(`k${index}`, 900_000)) }),
      jsonSpan("b".repeat(16), 0, { attributes: [long("k", 1_000_001)] }),
      jsonSpan("c".repeat(16), 5, { endTimeUnixNano: "1" }),
      jsonSpan("d".repeat(16), 5, { startTimeUnixNano: "0" }),
      jsonSpan("e".repeat(16), 5, { parentSpanId: "xyz" }),
      jsonSpan("f".repeat(16), 5, { attributes: [many] }),
    ];
    expect(await otlp.send(jsonRequest(odd))).toMatchObject({ status: 200, body: "{}" });
    const starts = (await otlp.streamed()).flatMap((event) => (event.type === "observation.start" ? [event.body] : []));
    const of = (letter: string) =>
      starts.find(
        ({ attributes }) =>
          attributes?.["otel.span_id"] === letter.repeat(16) || (letter === "f" && attributes?.["otel.span_id"] === undefined),
      );
    expect(of("a")?.attributes).toMatchObject({ k0: "x".repeat(100_000), "sightline.bent": { values: expect.stringContaining("100000") } });
    expect(of("b")?.attributes?.["k"]).toMatch(/^x{1000000}… \(cut, 1000001 characters\)$/);
    expect(of("c")?.attributes).toMatchObject({ "sightline.bent": { end_time_unix_nano: expect.stringContaining("before the start") } });
    expect(of("d")?.attributes).toMatchObject({ "sightline.bent": { start_time_unix_nano: expect.stringContaining("missing") } });
    expect(of("e")).toMatchObject({
      parent_id: null,
      attributes: { "sightline.bent": { parent_span_id: expect.stringContaining("xyz") } },
    });
    expect(of("f")?.attributes).toEqual({ "sightline.bent": { values: expect.stringContaining("left out") } });
    await otlp.store();
    const [trace] = await otlp.traces();
    expect(trace?.observation_list.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "success"));
  });
});

describe("POST /v1/traces refuses", () => {
  test.each<[string, number, () => [body: object | string | Buffer, headers: Record<string, string>]]>([
    ["what is no JSON", 400, () => ["{", {}]],
    ["JSON that is not UTF-8", 400, () => [Buffer.from([0x22, 0xff, 0x22]), {}]],
    ["a list of spans that is none", 400, () => [{ resourceSpans: [{ scopeSpans: { spans: 1 } }] }, {}]],
    ["what is no protobuf", 400, () => [Buffer.from("hello, world"), PROTOBUF]],
    ["a message that ends within a field", 400, () => [Buffer.from([0x0a, 0x04, 0x12, 0x7f, 0x0a, 0x0a]), PROTOBUF]],
    ["what is no gzip", 400, () => [Buffer.from("{}"), GZIP]],
    ["half of a gzip", 400, () => [gzipSync("{}").subarray(0, 12), GZIP]],
    ["another content type", 415, () => ["{}", { "content-type": "text/plain" }]],
    ["another encoding", 415, () => ["{}", { "content-encoding": "br" }]],
    ["a body of more than 16 MiB", 413, () => [Buffer.alloc(16 * MEBIBYTE + 1, " "), {}]],
    ["a gzip that unpacks to more than 32 MiB", 413, () => [gzipSync(Buffer.alloc(33 * MEBIBYTE, " ")), GZIP]],
    ["more than 20,000 spans", 413, () => [jsonRequest(Array.from({ length: 20_001 }, () => ({}))), {}]],
    ["millions of empty spans, packed small", 413, () => [gzipSync(manyEmptySpans(8 * MEBIBYTE)), { ...PROTOBUF, ...GZIP }]],
    ["millions of empty objects, packed small", 413, () => [gzipSync(`{"resourceSpans":[${"{},".repeat(4 * MEBIBYTE)}{}]}`), GZIP]],
    ["values nested without end", 400, () => [Buffer.from(nestedValue(500)), PROTOBUF]],
    ["JSON values nested without end", 400, () => [nestedJson(500), {}]],
  ])("%s with %i", async (_name, status, make) => {
    const [body, headers] = make();
    const answer = await otlp.send(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe(
      headers["content-type"] === PROTOBUF["content-type"] ? PROTOBUF["content-type"] : "application/json",
    );
    expect(answer.body).toMatch(/\w+ \w+ \w+/);
    expect(await otlp.rig.redis.client.xlen(otlp.rig.stream)).toBe(0);
  });

  test("in JSON by a code of gRPC beside the product's own words, in protobuf as a Status", async () => {
    const answer = await otlp.send("{");
    expect(JSON.parse(answer.body)).toEqual({
      code: 3,
      error: "invalid_request",
      message: "The request can't be read: it is no JSON in UTF-8.",
    });
    const { bytes } = await otlp.send(Buffer.from("x"), PROTOBUF);
    const reader = protobuf.Reader.create(bytes);
    expect([reader.uint32(), reader.int32(), reader.uint32()]).toEqual([0x08, 3, 0x12]);
    expect(reader.string()).toContain("The request can't be read");
  });

  test("whoever has no key before it reads the body", async () => {
    expect(await otlp.send("{", { "x-api-key": "" })).toMatchObject({ status: 401, body: expect.stringContaining('"code":16') });
  });
});

describe("POST /v1/traces asks to send again later", () => {
  test("with 429 while the stream has no room, and takes all when it has", async () => {
    const { client } = otlp.rig.redis;
    const fill = "for index = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'x', index) end";
    await client.eval(fill, 1, otlp.rig.stream, MAX_STREAM_LENGTH);
    const answer = await otlp.send(jsonRequest([jsonSpan("a".repeat(16), 0)]));
    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "15" }, body: expect.stringContaining('"error":"stream_full"') });
    await client.del(otlp.rig.stream);
    expect(await otlp.send(jsonRequest([jsonSpan("a".repeat(16), 0)]))).toMatchObject({ status: 200 });
    expect((await spanIds()).size).toBe(1);
  });

  test("with 503 while Redis is away, and stores nothing twice when it comes back", async () => {
    const proxy = await createTcpProxy(otlp.rig.redis.url);
    const { stream, heartbeatKey } = otlp.rig;
    const api = await createApiRig({ database: otlp.database, redisUrl: proxy.url, stream, heartbeatKey });
    const send = () =>
      api.server.inject({
        method: "POST",
        url: "/v1/traces",
        headers: { "content-type": "application/json", "x-api-key": otlp.key },
        payload: jsonRequest([jsonSpan("a".repeat(16), 0)]),
      });
    expect((await send()).statusCode).toBe(200);
    await proxy.cut();
    const refused = await send();
    expect(refused).toMatchObject({ statusCode: 503, headers: { "retry-after": "5" } });
    expect(refused.json()).toMatchObject({ code: 14, error: "stream_away" });
    await proxy.mend();
    await expect.poll(async () => (await send()).statusCode, { timeout: 10_000 }).toBe(200);
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([{ observations: 1 }]);
    await api.close();
    await proxy.close();
  }, 20_000);
});

test("what requests hold in memory together is limited, and half of it for one project; one alone always fits", () => {
  const admit = createAdmission(100);
  const [first, second] = [admit("a", 60), admit("b", 40)];
  expect(admit("c", 1)).toBeUndefined();
  second?.();
  second?.();
  expect(admit("c", 50)).toBeUndefined();
  expect(admit("a", 1)).toBeUndefined();
  const third = admit("c", 40);
  expect(third).toBeDefined();
  third?.();
  first?.();
  expect(admit("a", 50)).toBeDefined();
  expect(createAdmission(100)("a", 1_000)).toBeDefined();
});

function manyEmptySpans(bytes: number): Buffer {
  const spans = Buffer.alloc(bytes, Buffer.from([0x12, 0x00]));
  const scope = protobuf.Writer.create().uint32(0x12).bytes(spans).finish();
  return Buffer.from(protobuf.Writer.create().uint32(0x0a).bytes(scope).finish());
}

/** A resource with an attribute of arrays in arrays. */
function nestedValue(depth: number): Uint8Array {
  let value = Uint8Array.from([]);
  for (let level = 0; level < depth; level += 1) {
    const list = protobuf.Writer.create().uint32(0x0a).bytes(value).finish();
    value = Uint8Array.from(protobuf.Writer.create().uint32(0x2a).bytes(list).finish());
  }
  const attribute = protobuf.Writer.create().uint32(0x12).bytes(value).finish();
  const resource = protobuf.Writer.create().uint32(0x0a).bytes(attribute).finish();
  const resourceSpans = protobuf.Writer.create().uint32(0x0a).bytes(resource).finish();
  return protobuf.Writer.create().uint32(0x0a).bytes(resourceSpans).finish();
}

function nestedJson(depth: number): string {
  const value = `${'{"arrayValue":{"values":['.repeat(depth)}${"]}}".repeat(depth)}`;
  return `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":${value}}]},"scopeSpans":[{}]}]}`;
}

async function spanIds(): Promise<ReadonlySet<string>> {
  const events = await otlp.streamed();
  return new Set(events.flatMap((event) => (event.type === "observation.start" ? [event.body.observation_id] : [])));
}
