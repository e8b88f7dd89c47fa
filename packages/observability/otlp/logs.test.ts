import { gzipSync } from "node:zlib";
import protobuf from "protobufjs/minimal.js";
import { expect, test } from "vitest";
import { attributes, jsonRequest, jsonSpan, TRACE } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const SPAN = "b".repeat(16);
const CALL = jsonSpan(SPAN, 1, {
  parentSpanId: "a".repeat(16),
  attributes: attributes({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" }),
});
const ROOT = jsonSpan("a".repeat(16), 0, { name: "run" });
const text = (stringValue: string) => ({ stringValue });
const fields = (values: Readonly<Record<string, object>>) => ({
  kvlistValue: { values: Object.entries(values).map(([key, value]) => ({ key, value })) },
});

/** As today's instrumentations name an event, and as earlier ones did. */
const RECORDS = [
  record("gen_ai.user.message", fields({ content: text("Where is it?") }), 1),
  {
    ...record("", fields({ index: { intValue: "0" }, message: fields({ role: text("assistant"), content: text("Shipped.") }) }), 2),
    attributes: attributes({ "event.name": "gen_ai.choice", "gen_ai.system": "openai" }),
  },
];

test.each<[string, readonly ["spans" | "logs", readonly object[]][]]>([
  [
    "before their span",
    [
      ["logs", RECORDS],
      ["spans", [CALL]],
      ["spans", [ROOT]],
    ],
  ],
  [
    "after it, and after the whole trace",
    [
      ["spans", [CALL, ROOT]],
      ["logs", RECORDS],
    ],
  ],
  [
    "in requests of their own around it, and twice",
    [
      ["logs", RECORDS.slice(0, 1)],
      ["spans", [CALL, ROOT]],
      ["logs", RECORDS.slice(1)],
      ["logs", RECORDS],
    ],
  ],
])("GenAI's events as records of logs are messages of their span, when they come %s", async (_name, requests) => {
  for (const [kind, items] of requests) {
    const answer = await (kind === "spans" ? otlp.send(jsonRequest(items as never)) : sendLogs(logsOf(items)));
    expect(answer).toMatchObject({ status: 200, body: "{}" });
  }
  await otlp.store();
  const [trace] = await otlp.traces();
  expect(trace).toMatchObject({ name: "run", observations: 2 });
  const call = trace?.observation_list.find(({ kind }) => kind === "llm");
  expect(call).toMatchObject({ input: [{ role: "user", content: "Where is it?" }], output: [{ role: "assistant", content: "Shipped." }] });
  expect(await otlp.said(trace?.id ?? "")).toEqual(["user text Where is it?", "assistant text Shipped."]);
});

test.each([
  ["before", true],
  ["after", false],
])("the user that logs alone name is the trace's, when they come %s its spans (Google ADK)", async (_when, isFirst) => {
  const named = { ...RECORDS[0], attributes: attributes({ "user.id": "ada", "gen_ai.system": "gemini" }) };
  const requests = [() => sendLogs(logsOf([named])), () => otlp.send(jsonRequest([CALL, ROOT]))];
  for (const send of isFirst ? requests : requests.toReversed()) {
    await send();
  }
  await otlp.store();
  const [trace] = await otlp.traces();
  expect(trace).toMatchObject({ name: "run", user_id: "ada" });
  expect(trace?.observation_list.find(({ kind }) => kind === "llm")?.input).toEqual([{ role: "user", content: "Where is it?" }]);
});

test("an event with all messages, in protobuf and gzip, is read alike", async () => {
  await otlp.send(jsonRequest([CALL, ROOT]));
  const messages = [{ role: "user", parts: [{ type: "text", content: "Where is it?" }] }];
  const body = gzipSync(protobufLogs("gen_ai.client.inference.operation.details", "gen_ai.input.messages", JSON.stringify(messages)));
  const answer = await sendLogs(body, { "content-type": "application/x-protobuf", "content-encoding": "gzip" });
  expect(answer).toMatchObject({ status: 200, body: "" });
  await otlp.store();
  expect((await otlp.traces())[0]?.observation_list.find(({ kind }) => kind === "llm")).toMatchObject({ input: messages });
});

test("other records, and such as stand in no span, are left out without a word", async () => {
  const odd = [record("app.started", text("x"), 1), { ...RECORDS[0], spanId: "" }, { ...RECORDS[0], traceId: "no id" }, {}];
  expect(await sendLogs(logsOf(odd))).toMatchObject({ status: 200, body: "{}" });
  await otlp.send(jsonRequest([CALL, ROOT]));
  await otlp.store();
  expect((await otlp.traces())[0]?.observation_list[1]).toMatchObject({ input: null, output: null });
});

test("records of one project are never those of another's span", async () => {
  const { projectId } = otlp.rig;
  await sendLogs(logsOf(RECORDS));
  const keys = await otlp.rig.redis.client.keys(`{${otlp.rig.stream}}:otlp:logs:*`);
  expect(keys).toEqual([`{${otlp.rig.stream}}:otlp:logs:${projectId}:${TRACE}:${SPAN}`]);
});

test("metrics are taken and left out, so that no exporter complains", async () => {
  expect(await post("/v1/metrics", { resourceMetrics: [] })).toMatchObject({ status: 200, body: "{}" });
  expect(await post("/v1/metrics", Buffer.from([1]), { "content-type": "application/x-protobuf" })).toMatchObject({
    status: 200,
    body: "",
  });
});

test.each(["/v1/logs", "/v1/metrics"])("%s wants a key that may send, and no more than its limit", async (url) => {
  const { key } = await otlp.makeKey(["read"]);
  expect(await post(url, {}, { "x-api-key": key })).toMatchObject({ status: 403 });
  expect(await post(url, {}, { "x-api-key": "studio_no" })).toMatchObject({ status: 401 });
  expect(await post(url, Buffer.alloc(16 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
});

test.each(["[", '{"resourceLogs": 1}'])("logs that can't be read, such as %s, are refused", async (body) => {
  expect(await sendLogs(body)).toMatchObject({ status: 400 });
});

function record(eventName: string, body: object, second: number) {
  return { traceId: TRACE, spanId: SPAN, eventName, body, timeUnixNano: `179500000000000000${second}` };
}

function logsOf(logRecords: readonly object[]): object {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

function protobufLogs(name: string, key: string, value: string): Uint8Array {
  const message = (write: (writer: protobuf.Writer) => protobuf.Writer) => write(protobuf.Writer.create()).finish();
  const inner = (field: number, bytes: Uint8Array) => message((writer) => writer.uint32((field << 3) | 2).bytes(bytes));
  const attribute = message((writer) =>
    writer
      .uint32(0x0a)
      .string(key)
      .uint32(0x12)
      .bytes(message((own) => own.uint32(0x0a).string(value))),
  );
  const bytes = message((writer) =>
    writer
      .uint32((6 << 3) | 2)
      .bytes(attribute)
      .uint32((9 << 3) | 2)
      .bytes(Buffer.from(TRACE, "hex"))
      .uint32((10 << 3) | 2)
      .bytes(Buffer.from(SPAN, "hex"))
      .uint32((12 << 3) | 2)
      .string(name),
  );
  return inner(1, inner(2, inner(2, bytes)));
}

async function sendLogs(body: object | string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  return post("/v1/logs", body, headers);
}

async function post(url: string, payload: object | string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  const answer = await otlp.api.server.inject({
    method: "POST",
    url,
    headers: { "content-type": "application/json", "x-api-key": otlp.key, ...headers },
    payload: payload instanceof Uint8Array ? Buffer.from(payload) : payload,
  });
  return { status: answer.statusCode, body: answer.body };
}
