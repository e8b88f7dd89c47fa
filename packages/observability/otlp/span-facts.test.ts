import { describe, expect, test } from "vitest";
import type { OtlpEvent, OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpanFacts } from "./span-facts.ts";

test("a model call of Traceloop's OpenLLMetry", () => {
  const facts = factsOf("openai.chat", {
    "llm.request.type": "chat",
    "gen_ai.system": "OpenAI",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.response.model": "gpt-4o-2024-08-06",
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be brief.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "Where is order 42?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.finish_reason": "tool_calls",
    "gen_ai.completion.0.tool_calls.0.id": "call-1",
    "gen_ai.completion.0.tool_calls.0.name": "find_order",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"order":42}',
    "gen_ai.usage.prompt_tokens": 120,
    "gen_ai.usage.completion_tokens": 8,
    "llm.usage.total_tokens": 128,
    "traceloop.association.properties.session_id": "s-1",
    "traceloop.association.properties.user_id": "ada",
  });
  expect(facts).toMatchObject({
    kind: "llm",
    call: {
      model: "gpt-4o-2024-08-06",
      usage: { input_tokens: 120, output_tokens: 8, raw: { "gen_ai.usage.prompt_tokens": 120, "llm.usage.total_tokens": 128 } },
    },
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Where is order 42?" },
    ],
    output: [{ role: "assistant", tool_calls: [{ id: "call-1", name: "find_order", arguments: '{"order":42}' }] }],
    sessionId: "s-1",
    userId: "ada",
    attributes: { "gen_ai.request.model": "gpt-4o", "gen_ai.system": "OpenAI" },
  });
});

test.each([
  ["workflow", "graph"],
  ["agent", "graph"],
  ["task", "node"],
  ["tool", "tool"],
])("Traceloop's %s is a %s with its entity's input and output", (kind, expected) => {
  const facts = factsOf("find_order.tool", {
    "traceloop.span.kind": kind,
    "traceloop.entity.name": "find_order",
    "traceloop.entity.input": '{"order":42}',
    "traceloop.entity.output": '"shipped"',
  });
  expect(facts).toMatchObject({ kind: expected, input: { order: 42 }, output: "shipped" });
  expect(facts.toolName).toBe(kind === "tool" ? "find_order" : undefined);
});

test("an agent of Pydantic AI has its messages and its result", () => {
  const messages = [
    { role: "user", parts: [{ type: "text", content: "Where is order 42?" }] },
    { role: "assistant", parts: [{ type: "text", content: "On its way." }] },
  ];
  const facts = factsOf("invoke_agent support", {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "support",
    "pydantic_ai.all_messages": JSON.stringify(messages),
    final_result: "On its way.",
  });
  expect(facts).toMatchObject({ kind: "graph", name: "support", input: messages, output: "On its way." });
  expect(Object.keys(facts.attributes)).not.toContain("final_result");
  expect(factsOf("settle", { final_result: "mine" })).toMatchObject({ output: undefined, attributes: { final_result: "mine" } });
});

test("a retriever of OpenInference has its documents, in the order of their numbers", () => {
  const facts = factsOf("Retriever", {
    "openinference.span.kind": "RETRIEVER",
    "input.value": "orders",
    "retrieval.documents.10.document.content": "last",
    "retrieval.documents.2.document.content": "second",
    "retrieval.documents.0.document.content": "first",
    "retrieval.documents.0.document.score": 0.5,
  });
  expect(facts).toMatchObject({
    kind: "retriever",
    input: "orders",
    output: [{ content: "first", score: 0.5 }, { content: "second" }, { content: "last" }],
  });
});

test("an embedding has a model and tokens too", () => {
  const facts = factsOf("embed", {
    "gen_ai.operation.name": "embeddings",
    "gen_ai.request.model": "text-embedding-3-small",
    "gen_ai.usage.input_tokens": "7",
  });
  expect(facts).toMatchObject({ kind: "span", call: { model: "text-embedding-3-small", usage: { input_tokens: 7 } } });
});

test.each<[string, Record<string, number>, object]>([
  [
    "hold the cached ones",
    { input_tokens: 100, cache_read: 60, cache_creation: 10 },
    { input_tokens: 100, cache_read_tokens: 60, cache_write_tokens: 10 },
  ],
  [
    "are fewer than the cached ones",
    { input_tokens: 5, cache_read: 60, cache_creation: 10 },
    { input_tokens: 75, cache_read_tokens: 60, cache_write_tokens: 10 },
  ],
  [
    "hold the cached ones, as Pydantic AI called them first",
    { input_tokens: 1300, "details.cache_read_tokens": 1200, "details.reasoning_tokens": 3 },
    { input_tokens: 1300, cache_read_tokens: 1200, reasoning_tokens: 3 },
  ],
  ["are not negative", { input_tokens: -5 }, {}],
])("input tokens that %s", (_name, given, expected) => {
  const names: Readonly<Record<string, string>> = { cache_read: "cache_read.input_tokens", cache_creation: "cache_creation.input_tokens" };
  const counts = Object.fromEntries(Object.entries(given).map(([name, count]) => [`gen_ai.usage.${names[name] ?? name}`, count]));
  const { call } = factsOf("chat", { "gen_ai.operation.name": "chat", ...counts });
  const { raw: _raw, ...tokens } = call?.usage ?? { raw: {} };
  expect(tokens).toEqual(expected);
});

test("LangGraph's nodes are nodes, and the thread is that of its metadata", () => {
  const metadata = JSON.stringify({ langgraph_node: "plan", thread_id: "thread-7", user_id: "ada" });
  expect(factsOf("plan", { "openinference.span.kind": "CHAIN", metadata })).toMatchObject({
    kind: "node",
    threadId: "thread-7",
    userId: "ada",
  });
  expect(factsOf("RunnableSequence", { "openinference.span.kind": "CHAIN", metadata })).toMatchObject({
    kind: "span",
    threadId: "thread-7",
  });
});

test("ids that are numbers are kept as their text, wherever they are said", () => {
  expect(factsOf("run", { "session.id": 7, "user.id": 42, "gen_ai.conversation.id": 1.5, "langfuse.release": 3 })).toMatchObject({
    sessionId: "7",
    userId: "42",
    threadId: "1.5",
    release: "3",
  });
  const metadata = JSON.stringify({ thread_id: 7, session_id: 8, user_id: 42 });
  expect(factsOf("run", { metadata })).toMatchObject({ threadId: "7", sessionId: "8", userId: "42" });
  expect(factsOf("run", { "ai.telemetry.metadata.threadId": 9, "tag.tags": ["x", 1], "session.id": true })).toMatchObject({
    threadId: "9",
    tags: ["x", "1"],
    sessionId: undefined,
  });
});

test("the code that ran, under its new names and its old", () => {
  expect(factsOf("f", { "code.file.path": "src/a.ts", "code.line.number": 12, "code.function.name": "plan" }).code).toEqual({
    file: "src/a.ts",
    line: 12,
    function: "plan",
  });
  expect(factsOf("f", { "code.filepath": "src/a.ts", "code.lineno": 3 }).code).toEqual({ file: "src/a.ts", line: 3 });
  expect(factsOf("f", { "code.filepath": "src/a.ts" }).code).toBeUndefined();
});

const START = "2026-11-21T10:00:00.000Z";

describe("the time to first token of a model call", () => {
  test.each<[string, Readonly<Record<string, OtlpValue>>, number | undefined]>([
    ["GenAI's, in seconds", { "gen_ai.response.time_to_first_chunk": 0.25 }, 250],
    ["Sentry's, in seconds", { "gen_ai.response.time_to_first_token": "0.5" }, 500],
    ["OpenLIT's, in seconds", { "gen_ai.server.time_to_first_token": 1.5 }, 1_500],
    ["Strands Agents', in milliseconds under the same name", { "gen_ai.server.time_to_first_token": 290 }, 290],
    ["none that is longer than the call", { "ai.response.msToFirstChunk": 61_000 }, undefined],
    [
      "OpenLIT's of a call that is no stream, none",
      { "gen_ai.server.time_to_first_token": 1.5, "gen_ai.request.is_stream": false },
      undefined,
    ],
    ["the AI SDK's GenAI, in seconds", { "gen_ai.client.operation.time_to_first_chunk": 0.3 }, 300],
    ["the AI SDK's own, in milliseconds", { "ai.response.msToFirstChunk": 120.5 }, 120.5],
    ["the AI SDK's of objects, in milliseconds", { "ai.stream.msToFirstChunk": 80 }, 80],
    ["Langfuse's, a moment", { "langfuse.observation.completion_start_time": "2026-11-21T10:00:00.700Z" }, 700],
    ["Langfuse's, a moment as JSON", { "langfuse.observation.completion_start_time": '"2026-11-21T10:00:00.700Z"' }, 700],
    ["none that is before the call", { "langfuse.observation.completion_start_time": "2026-11-21T09:59:59Z" }, undefined],
    ["none that is no number", { "gen_ai.response.time_to_first_chunk": "soon", "ai.response.msToFirstChunk": -1 }, undefined],
    ["none of a year and more", { "gen_ai.response.time_to_first_chunk": 4e7 }, undefined],
    ["the first that makes sense", { "gen_ai.response.time_to_first_chunk": "soon", "ai.response.msToFirstChunk": 90 }, 90],
  ])("is %s", (_name, given, expected) => {
    expect(factsOf("chat", { "gen_ai.operation.name": "chat", ...given }).call?.time_to_first_token_ms).toBe(expected);
  });

  test("is when OpenInference's event of the first token was", () => {
    const events = [{ name: "First Token Stream Event", nanos: nanosOf(START) + 450_000_000n, attributes: new Map() }];
    expect(factsOf("ChatCompletion", { "openinference.span.kind": "LLM" }, events).call?.time_to_first_token_ms).toBe(450);
  });

  test("is nothing that a span around calls has", () => {
    expect(factsOf("invoke_agent", { "gen_ai.operation.name": "invoke_agent", "ai.response.msToFirstChunk": 5 }).call).toBeUndefined();
  });
});

test("a span of plain OpenTelemetry is a span with its attributes", () => {
  expect(factsOf("GET /orders", { "http.request.method": "GET", "openinference.span.kind": "NEW" })).toMatchObject({
    kind: "span",
    name: "GET /orders",
    call: undefined,
    input: undefined,
    attributes: { "http.request.method": "GET", "openinference.span.kind": "NEW" },
  });
});

function factsOf(name: string, attributes: Readonly<Record<string, OtlpValue>>, events: readonly OtlpEvent[] = []) {
  const [startNanos, endNanos] = [nanosOf(START), nanosOf(START) + MINUTE_NANOS];
  return readSpanFacts({ name, attributes: new Map(Object.entries(attributes)), startNanos, endNanos, events });
}

const MINUTE_NANOS = 60_000_000_000n;

function nanosOf(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n;
}

describe("LangSmith's SDK, as its exporter for OpenTelemetry of Python writes it,", () => {
  const notes = {
    "langsmith.trace.session_name": "default",
    "gen_ai.system": "langchain",
    "langsmith.metadata.thread_id": "t-1",
    "langsmith.metadata.session_id": "s-1",
    "langsmith.metadata.user_id": "ada",
    "langsmith.metadata.plan": "pro",
    "langsmith.metadata.ls_method": "traceable",
    "langsmith.metadata.LANGSMITH_TRACING": "true",
    "langsmith.span.tags": "vip, eu",
  };

  test("says what a run is of", () => {
    const facts = factsOf("support", {
      ...notes,
      "langsmith.span.kind": "chain",
      "gen_ai.operation.name": "chain",
      "gen_ai.prompt": '{"question":"Where is order 42?"}',
      "gen_ai.completion": '{"output":"It was shipped."}',
    });
    expect(facts).toMatchObject({
      kind: "span",
      threadId: "t-1",
      sessionId: "s-1",
      userId: "ada",
      tags: ["vip", "eu"],
      metadata: { plan: "pro" },
    });
    expect(facts).toMatchObject({ input: { question: "Where is order 42?" }, output: "It was shipped." });
    expect(Object.keys(facts.metadata)).toEqual(["plan"]);
  });

  test("has a tool's parameters and result", () => {
    const facts = factsOf("find_order", {
      ...notes,
      "langsmith.span.kind": "tool",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "find_order",
      "gen_ai.prompt": '{"order":42}',
      "gen_ai.completion": '{"order":42,"state":"shipped"}',
    });
    expect(facts).toMatchObject({ kind: "tool", toolName: "find_order", input: { order: 42 }, output: { order: 42, state: "shipped" } });
  });

  test("counts what was cached and reasoned", () => {
    const { kind, call, input } = factsOf("answer", {
      ...notes,
      "langsmith.span.kind": "llm",
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m-1",
      "gen_ai.prompt": '{"messages":[{"role":"user","content":"Where is order 42?"}]}',
      "gen_ai.usage.input_tokens": 120,
      "gen_ai.usage.output_tokens": 30,
      "gen_ai.usage.input_token_details": "{'cache_read': 64, 'cache_creation': 8}",
      "gen_ai.usage.output_token_details": "{'reasoning': 12}",
    });
    expect(kind).toBe("llm");
    expect(call?.usage).toMatchObject({
      input_tokens: 120,
      output_tokens: 30,
      cache_read_tokens: 64,
      cache_write_tokens: 8,
      reasoning_tokens: 12,
    });
    expect(JSON.stringify(input)).toContain("Where is order 42?");
  });

  test.each([
    ["retriever", "embeddings", "retriever"],
    ["prompt", "chat", "span"],
  ])("calls a %s what it is, and not %s", (run, operation, kind) => {
    expect(factsOf("x", { "langsmith.span.kind": run, "gen_ai.operation.name": operation }).kind).toBe(kind);
  });
});
