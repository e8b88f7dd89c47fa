import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  otlp = await createOtlpRig(database);
  const exporter = new OTLPTraceExporter({ url: `${otlp.url}/v1/traces`, headers: { "x-api-key": otlp.key } });
  provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbackManager);
});
afterAll(async () => {
  await provider.shutdown();
  await otlp.close();
  await models.close();
  await database.drop();
});

test("OpenInference's LangChain instrumentation gives a correct trace", async () => {
  const answer = await agent().invoke("Where is order 42?", {
    runName: "support-agent",
    metadata: { thread_id: "thread-7", session_id: "session-1" },
  });
  expect(answer).toBe("It was shipped.");
  await otlp.setPrice("m-1", { input: 2, output: 10, cache_read: 0.5 });
  await provider.forceFlush();
  await otlp.store();

  const [trace, ...others] = await otlp.traces();
  expect(others).toEqual([]);
  // Of each call 56 tokens at 2 dollars a million, 64 from the cache at 0.5, 30 at 10.
  expect(trace?.cost).toBeCloseTo(2 * 0.000_444, 9);
  expect(trace).toMatchObject({
    name: "support-agent",
    status: "success",
    thread_id: "thread-7",
    input_tokens: 240,
    output_tokens: 60,
    failures: 0,
  });
  const calls = trace?.observation_list.filter(({ kind }) => kind === "llm") ?? [];
  expect(calls).toMatchObject([
    {
      model: "m-1",
      input_tokens: 120,
      cache_read_tokens: 64,
      output_tokens: 30,
      reasoning_tokens: 12,
      input: [{ role: "user", content: "Where is order 42?" }],
    },
    {
      model: "m-1",
      input_tokens: 120,
      cache_read_tokens: 64,
      output_tokens: 30,
      reasoning_tokens: 12,
      output: [{ role: "assistant", content: "It was shipped." }],
    },
  ]);
  expect(trace?.observation_list.filter(({ kind }) => kind === "tool")).toMatchObject([
    { name: "find_order", status: "success", input: { order: 42 }, output: expect.anything() },
  ]);
  expect(await otlp.said(trace?.id ?? "")).toEqual([
    "user text Where is order 42?",
    "assistant tool_call find_order",
    "tool tool_result",
    "assistant text It was shipped.",
  ]);
});

function agent() {
  const model = new LocalChatModel({});
  const findOrder = tool(async ({ order }: { order: number }) => JSON.stringify({ order, state: "shipped" }), {
    name: "find_order",
    description: "Finds an order",
    schema: z.object({ order: z.int() }),
  });
  return RunnableLambda.from(async (question: string, config: RunnableConfig) => {
    const messages: BaseMessage[] = [new HumanMessage(question)];
    const asked = await model.invoke(messages, config);
    const [call] = asked.tool_calls ?? [];
    const result: unknown = await findOrder.invoke({ order: Number(call?.args["order"]) }, config);
    const content = String(result);
    const told = await model.invoke([...messages, asked, new ToolMessage({ content, tool_call_id: call?.id ?? "" })], config);
    return told.content;
  });
}

type Completion = {
  readonly model: string;
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
    };
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number } & Record<
    "prompt_tokens_details" | "completion_tokens_details",
    Record<string, number>
  >;
};

/** What LangChain's own packages for providers do: the request over HTTP, and the tokens where LangChain wants them. */
class LocalChatModel extends BaseChatModel {
  override _llmType(): string {
    return "local";
  }

  override invocationParams(): Record<string, unknown> {
    return { model: "m-1" };
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const body = JSON.stringify({
      model: "m-1",
      messages: messages.map((message) => ({ role: message.getType(), content: message.content })),
    });
    const response = await fetch(`${models.url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const { choices, usage } = (await response.json()) as Completion;
    const message = choices[0]?.message;
    const answer = new AIMessage({
      content: message?.content ?? "",
      tool_calls: (message?.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        args: JSON.parse(call.function.arguments) as Record<string, unknown>,
        type: "tool_call",
      })),
    });
    const usageMetadata = {
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      total_tokens: usage.total_tokens,
      input_token_details: { cache_read: usage.prompt_tokens_details["cached_tokens"] ?? 0 },
      output_token_details: { reasoning: usage.completion_tokens_details["reasoning_tokens"] ?? 0 },
    };
    return { generations: [{ text: answer.text, message: Object.assign(answer, { usage_metadata: usageMetadata }) }] };
  }
}
