import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { generateText, isStepCount, streamText, tool, type ToolSet } from "ai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startModelServer, type ModelServer } from "#testing/model-server.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let models: ModelServer;
let provider: NodeTracerProvider;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  models = await startModelServer();
});
beforeEach(async () => {
  otlp = await createOtlpRig(database);
  const exporter = new OTLPTraceExporter({ url: `${otlp.url}/v1/traces`, headers: { authorization: `Bearer ${otlp.key}` } });
  provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
});
afterEach(async () => {
  await provider.shutdown();
  await otlp.close();
});
afterAll(async () => {
  await models.close();
  await database.drop();
});

const dialects = {
  GenAI: () => new OpenTelemetry({ tracer: provider.getTracer("ai"), usage: true }),
  "its own": () => new LegacyOpenTelemetry({ tracer: provider.getTracer("ai") }),
};

const tools: ToolSet = {
  find_order: tool({
    description: "Finds an order",
    inputSchema: z.object({ order: z.int() }),
    execute: async ({ order }) => ({ order, state: "shipped" }),
  }),
};

describe.each(Object.entries(dialects))("the AI SDK's telemetry in %s attributes gives a correct trace", (_name, createIntegration) => {
  test.each(["generateText", "streamText"] as const)("of %s", async (operation) => {
    const model = createOpenAICompatible({ name: "local", baseURL: models.url, apiKey: "k", includeUsage: true })("m-1");
    const call = {
      model,
      tools,
      prompt: "Where is order 42?",
      stopWhen: isStepCount(3),
      telemetry: { isEnabled: true, functionId: "support", integrations: [createIntegration()] },
    };
    const text = operation === "generateText" ? (await generateText(call)).text : await streamText(call).text;
    expect(text).toBe("It was shipped.");
    await otlp.setPrice("m-1-2026", { input: 2, output: 10, cache_read: 0.5 });
    await provider.forceFlush();
    await otlp.store();

    const [trace, ...others] = await otlp.traces();
    expect(others).toEqual([]);
    // Of each call 56 tokens at 2 dollars a million, 64 from the cache at 0.5, 30 at 10.
    expect(trace?.cost).toBeCloseTo(2 * 0.000_444, 9);
    // Two calls of 120 and 30 tokens; the spans around them say the sum again, which is not counted twice.
    expect(trace).toMatchObject({ status: "success", input_tokens: 240, output_tokens: 60, failures: 0, name: "support" });
    const calls = trace?.observation_list.filter(({ kind }) => kind === "llm") ?? [];
    expect(calls).toMatchObject([
      { status: "success", model: "m-1-2026", input_tokens: 120, cache_read_tokens: 64, output_tokens: 30, reasoning_tokens: 12 },
      {
        status: "success",
        model: "m-1-2026",
        input_tokens: 120,
        cache_read_tokens: 64,
        output_tokens: 30,
        reasoning_tokens: 12,
        reasoning: "The order is on its way",
      },
    ]);
    const isTimed = calls.map(
      ({ time_to_first_token_ms: time, duration_ms: duration }) => time !== null && time >= 0 && time <= (duration ?? 0),
    );
    expect(isTimed).toEqual([operation === "streamText", operation === "streamText"]);
    expect(JSON.stringify(calls[0]?.input)).toContain("Where is order 42?");
    expect(JSON.stringify(calls[1]?.output)).toContain("It was shipped.");
    const [used, ...more] = trace?.observation_list.filter(({ kind }) => kind === "tool") ?? [];
    expect(more).toEqual([]);
    expect(used).toMatchObject({ name: "find_order", input: { order: 42 }, output: { order: 42, state: "shipped" } });
    // What the second call was told again, its history and the tool's result, is said once.
    expect(await otlp.said(trace?.id ?? "")).toEqual([
      "user text Where is order 42?",
      "assistant tool_call find_order",
      "assistant tool_call find_order",
      "tool tool_result",
      "assistant reasoning The order is on its way",
      "assistant text It was shipped.",
    ]);
  });
});
