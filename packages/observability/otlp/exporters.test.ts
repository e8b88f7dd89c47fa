import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { context, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { describe, expect, test } from "vitest";
import { pythonProgram } from "#testing/python-program.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const exporters = {
  protobuf: (settings: object) => new ProtobufExporter(settings),
  "protobuf with gzip": (settings: object) => new ProtobufExporter({ ...settings, compression: "gzip" } as never),
  JSON: (settings: object) => new JsonExporter(settings),
  "JSON with gzip": (settings: object) => new JsonExporter({ ...settings, compression: "gzip" } as never),
} satisfies Record<string, (settings: object) => SpanExporter>;

describe.each(Object.entries(exporters))("the real OpenTelemetry exporter over %s", (_name, createExporter) => {
  test("gives a whole trace: names, nesting, times, model, tokens, cost, messages, tool entry, failure", async () => {
    await otlp.setPrice("m-1-2026", { input: 2, output: 10, cache_read: 0.5 });
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": "support" }),
      spanProcessors: [new BatchSpanProcessor(createExporter({ url: `${otlp.url}/v1/traces`, headers: { "x-api-key": otlp.key } }))],
    });
    runAgent(provider.getTracer("agent", "2.1.0"));
    await provider.shutdown();
    const { consumer } = await otlp.rig.start();
    await expect.poll(() => otlp.rig.redis.client.xlen(otlp.rig.stream), { timeout: 10_000 }).toBe(0);
    await consumer.stop();

    const [stored, ...others] = await otlp.traces();
    expect(others).toEqual([]);
    // 100 tokens at 2 dollars a million, 20 from the cache at 0.5, 8 at 10.
    expect(stored?.cost).toBeCloseTo(0.000_29, 9);
    expect(stored).toMatchObject({
      name: "support-agent",
      status: "success",
      input_tokens: 120,
      output_tokens: 8,
      thread_id: "thread-7",
      failures: 1,
      attributes: { "otel.resource": { "service.name": "support" } },
    });
    const [root, tool, model] = stored?.observation_list ?? [];
    expect(stored?.observation_list).toHaveLength(3);
    expect(root).toMatchObject({ name: "support-agent", kind: "graph", parent_id: null, model: null, input_tokens: null });
    expect(root?.attributes).toMatchObject({ "gen_ai.usage.input_tokens": 120 });
    expect(tool).toMatchObject({
      name: "find_order",
      kind: "tool",
      parent_id: root?.id,
      status: "failure",
      error: "TimeoutError: too slow",
      input: { order: 42 },
    });
    expect(model).toMatchObject({
      name: "chat m-1",
      kind: "llm",
      parent_id: root?.id,
      started_at: "2026-11-21T10:00:03.000Z",
      ended_at: "2026-11-21T10:00:04.500Z",
      duration_ms: 1500,
      model: "m-1-2026",
      input: [{ role: "user", parts: [{ type: "text", content: "where?" }] }],
      reasoning: "it is on its way",
    });
  });
});

const TYPESCRIPT_EXAMPLE = fileURLToPath(new URL("../../sdk/examples/opentelemetry.ts", import.meta.url));

describe("the examples of OpenTelemetry without an SDK run as they stand", needsPython, () => {
  const { program, options } = pythonProgram("examples/opentelemetry_exporter.py");

  test.each([
    ["TypeScript", [process.execPath, TYPESCRIPT_EXAMPLE] as const, {}],
    ["Python", program, options],
  ])("in %s", async (_language, [file, script], given) => {
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${otlp.key}` };
    await promisify(execFile)(file, [script], { ...given, env, timeout: 30_000 });
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([
      {
        name: "ask",
        thread_id: "t-1",
        input_tokens: 3,
        output_tokens: 1,
        observation_list: [{ kind: "graph" }, { kind: "llm", model: "gpt-5" }],
      },
    ]);
  });
});

/** Times are set, since the exporter is what is tested. */
function runAgent(tracer: Tracer): void {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, 0, second * 1000));
  const root = tracer.startSpan("support-agent", {
    startTime: at(0),
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "thread-7", "gen_ai.usage.input_tokens": 120 },
  });
  const within = trace.setSpan(context.active(), root);
  const tool = tracer.startSpan(
    "execute_tool find_order",
    {
      startTime: at(1),
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_order",
        "gen_ai.tool.call.arguments": '{"order":42}',
      },
    },
    within,
  );
  tool.recordException({ name: "TimeoutError", message: "too slow" }, at(2));
  tool.setStatus({ code: SpanStatusCode.ERROR, message: "too slow" });
  tool.end(at(2));
  const model = tracer.startSpan(
    "chat m-1",
    { startTime: at(3), kind: SpanKind.CLIENT, attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" } },
    within,
  );
  model.setAttributes({
    "gen_ai.response.model": "m-1-2026",
    "gen_ai.usage.input_tokens": 120,
    "gen_ai.usage.output_tokens": 8,
    "gen_ai.usage.cache_read.input_tokens": 20,
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "where?" }] }]),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "reasoning", content: "it is on its way" }] }]),
  });
  model.end(at(4.5));
  root.end(at(6));
}
