import { expect, test } from "vitest";
import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpanFacts } from "./span-facts.ts";

type Attributes = Readonly<Record<string, OtlpValue>>;

const GEMINI_CALL = { "gen_ai.operation.name": "generate_content", "gen_ai.request.model": "gemini-2.5-flash" };
const aiSdkUsage = (output: number) => ({
  "ai.usage.inputTokens": 120,
  "ai.usage.outputTokens": output,
  "ai.usage.reasoningTokens": 12,
  "ai.usage.totalTokens": 150,
});

test.each<[string, Attributes, object]>([
  [
    "the AI SDK (5), for Gemini",
    { "ai.operationId": "ai.generateText.doGenerate", ...aiSdkUsage(18) },
    { input_tokens: 120, output_tokens: 30, reasoning_tokens: 12 },
  ],
  [
    "the AI SDK (6), which has them in the output",
    { "ai.operationId": "ai.generateText.doGenerate", ...aiSdkUsage(30) },
    { input_tokens: 120, output_tokens: 30, reasoning_tokens: 12 },
  ],
  [
    "Traceloop, which tells no thoughts, but a sum with them",
    { ...GEMINI_CALL, "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 18, "gen_ai.usage.total_tokens": 150 },
    { input_tokens: 120, output_tokens: 30, reasoning_tokens: 12 },
  ],
  [
    "Pydantic AI",
    { ...GEMINI_CALL, "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30, "gen_ai.usage.details.thoughts_tokens": 12 },
    { input_tokens: 120, output_tokens: 30, reasoning_tokens: 12 },
  ],
  [
    "one that says more of them than of the output",
    { ...GEMINI_CALL, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.details.thoughts_tokens": 12 },
    { output_tokens: 17, reasoning_tokens: 12 },
  ],
  [
    "another model, whose sum has what no other count tells",
    { ...GEMINI_CALL, "gen_ai.request.model": "m-1", "gen_ai.usage.output_tokens": 18, "gen_ai.usage.total_tokens": 50 },
    { output_tokens: 18 },
  ],
  ["an embedding, which has a sum alone", { ...GEMINI_CALL, "gen_ai.usage.total_tokens": 5 }, {}],
])("thoughts that are counted beside the output are part of it here: %s", (_name, attributes, expected) => {
  const { raw: _raw, ...tokens } = factsOf("generate_content", attributes).call?.usage ?? { raw: {} };
  expect(tokens).toEqual(expected);
});

test("LangSmith's details of LangChain's runs stand among the metadata", () => {
  const usage = { input_token_details: { cache_read: 64 }, output_token_details: { reasoning: 12 }, total_cost: 0.5 };
  const attributes = {
    "langsmith.span.kind": "llm",
    "langsmith.metadata.usage_metadata": JSON.stringify(usage),
    "gen_ai.usage.input_tokens": 120,
    "gen_ai.usage.output_tokens": 30,
  };
  expect(factsOf("ChatOpenAI", attributes).call?.usage).toMatchObject({
    input_tokens: 120,
    output_tokens: 30,
    cache_read_tokens: 64,
    reasoning_tokens: 12,
    cost: 0.5,
  });
});

test.each<[string, Attributes]>([
  ["OpenLIT", { ...GEMINI_CALL, "gen_ai.usage.cost": 0.5 }],
  ["OpenRouter", { ...GEMINI_CALL, "gen_ai.usage.total_cost": "0.5" }],
  ["Logfire and Pydantic AI", { ...GEMINI_CALL, "operation.cost": 0.5 }],
  ["OpenInference", { "openinference.span.kind": "LLM", "llm.cost.total": 0.5 }],
  ["Langfuse", langfuseCost({ total: 0.5, input: 0.2 })],
  ["Langfuse without a sum", langfuseCost({ input: 0.2, output: 0.3 })],
])("a cost that %s reports is read", (_name, attributes) => {
  expect(factsOf("call", attributes).call?.usage?.cost).toBe(0.5);
});

test.each([-1, "much", Number.NaN, 1e9])("a cost of %j is none", (cost) => {
  expect(factsOf("call", { ...GEMINI_CALL, "gen_ai.usage.cost": cost }).call?.usage).toBeUndefined();
});

function langfuseCost(details: object): Attributes {
  return { "langfuse.observation.type": "generation", "langfuse.observation.cost_details": JSON.stringify(details) };
}

function factsOf(name: string, attributes: Attributes) {
  return readSpanFacts({ name, attributes: new Map(Object.entries(attributes)), startNanos: 0n, endNanos: 0n, events: [] });
}
