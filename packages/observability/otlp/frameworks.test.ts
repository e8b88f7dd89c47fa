import { expect, test } from "vitest";
import { readMessages } from "#messages/read-messages.ts";
import type { OtlpEvent, OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpanFacts } from "./span-facts.ts";
import { readSpanError, readSpanStatus } from "./span-status.ts";

type Attributes = Readonly<Record<string, OtlpValue>>;

test("an agent of CrewAI bears its role and task, not the method that ran it", () => {
  const facts = factsOf("Researcher.find._execute_core", { "openinference.span.kind": "AGENT", "graph.node.id": "Researcher" });
  expect(facts).toMatchObject({ kind: "graph", name: "Researcher.find" });
  expect(factsOf("Flow_8f581251-7727-410c-b567-4a7e607f06af.kickoff", {}).name).toBe("Flow.kickoff");
});

test("a call that failed has the model that was asked for", () => {
  const facts = factsOf("ChatCompletion", { "openinference.span.kind": "LLM", "llm.invocation_parameters": '{"model": "bad-1"}' });
  expect(facts.call?.model).toBe("bad-1");
  expect(facts.attributes).toHaveProperty("llm.invocation_parameters");
});

test("a system message of blocks, which OpenInference leaves out for LangChain.js, is read from the whole input", () => {
  const block = { type: "text", text: "You tell." };
  const whole = {
    messages: [
      [
        { lc: 1, type: "constructor", id: ["langchain_core", "messages", "SystemMessage"], kwargs: { content: [block] } },
        { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "How is it?" } },
      ],
    ],
  };
  const hollow = { "llm.input_messages.0.message.role": "system", "llm.input_messages.1.message.role": "user" };
  const spelled = { ...hollow, "llm.input_messages.1.message.content": "How is it?", "openinference.span.kind": "LLM" };
  expect(readMessages(factsOf("ChatOpenAI", { ...spelled, "input.value": JSON.stringify(whole) }).input, "user")).toMatchObject([
    { role: "system", parts: [{ type: "text", value: "You tell." }] },
    { role: "user", parts: [{ type: "text", value: "How is it?" }] },
  ]);
  expect(factsOf("ChatOpenAI", { ...spelled, "input.value": "printed" }).input).toEqual([
    { role: "system" },
    { role: "user", content: "How is it?" },
  ]);
});

test("Traceloop's workflows and tasks bear their names alone, and what the application noted is metadata", () => {
  const facts = factsOf("support.workflow", {
    "traceloop.span.kind": "workflow",
    "traceloop.entity.name": "support",
    "traceloop.association.properties.plan": "pro",
    "traceloop.association.properties.user_id": "ada",
    "traceloop.association.properties.langgraph_step": 1,
  });
  expect(facts).toMatchObject({ kind: "graph", name: "support", userId: "ada", metadata: { plan: "pro" } });
  expect(facts.metadata).toEqual({ plan: "pro" });
});

test("metadata of Langfuse's SDK for Python, which are JSON each, are what was given", () => {
  const written = { plan: '"pro"', order: '{"id":42}', note: "as JavaScript's has it" };
  const attributes = Object.entries(written).map(([name, value]) => [`langfuse.trace.metadata.${name}`, value] as const);
  const facts = factsOf("refund", { "langfuse.observation.type": "agent", ...Object.fromEntries(attributes) });
  expect(facts.metadata).toEqual({ plan: "pro", order: { id: 42 }, note: "as JavaScript's has it" });
});

test("a node of LangGraph is a node in Traceloop's GenAI dialect too", () => {
  const attributes = { "gen_ai.operation.name": "execute_task", "gen_ai.task.name": "model", "traceloop.span.kind": "task" };
  expect(factsOf("execute_task model", attributes).kind).toBe("node");
});

test.each<[string, Attributes, OtlpValue]>([
  [
    "Traceloop's callbacks for LangChain",
    {
      "traceloop.span.kind": "tool",
      "gen_ai.tool.call.arguments": '{"input_str": "{\'city\': \'Vienna\'}", "tags": [], "metadata": {}, "inputs": {"city": "Vienna"}}',
    },
    { city: "Vienna" },
  ],
  ["DSPy", { "openinference.span.kind": "TOOL", "input.value": '{"kwargs": {"city": "Vienna"}}' }, { city: "Vienna" }],
  [
    "Traceloop's decorators",
    { "traceloop.span.kind": "tool", "traceloop.entity.input": '{"args": [], "kwargs": {"city": "Vienna"}}' },
    { city: "Vienna" },
  ],
  [
    "Traceloop's decorators, without names",
    { "traceloop.span.kind": "tool", "traceloop.entity.input": '{"args": ["Vienna"], "kwargs": {}}' },
    { args: ["Vienna"], kwargs: {} },
  ],
])("the arguments of a tool of %s", (_name, attributes, expected) => {
  expect(factsOf("weather.__call__", attributes)).toMatchObject({ kind: "tool", toolName: "weather", input: expected });
});

test("chunks of Traceloop's streams tell the time to first token and nothing else", () => {
  const chunks = [100n, 300n].map((milliseconds) => ({
    name: "gen_ai.content.completion.chunk",
    nanos: START + milliseconds * 1_000_000n,
    attributes: new Map(),
  }));
  const facts = factsOf("openai.chat", { "gen_ai.operation.name": "chat" }, chunks);
  expect(facts.call?.time_to_first_token_ms).toBe(100);
  expect(facts.events).toEqual([]);
});

test("a call of OpenLIT's that is no stream has no time to first token, and its system message once", () => {
  const facts = factsOf("chat gpt-4o", {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.stream": false,
    "gen_ai.server.time_to_first_token": 0.27,
    "gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]',
    "gen_ai.input.messages": '[{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}, {"role": "user", "parts": []}]',
  });
  expect(facts.call?.time_to_first_token_ms).toBeUndefined();
  expect(facts.input).toMatchObject([{ role: "system" }, { role: "user" }]);
});

test("metadata and tags of the AI SDK's telemetry, and what it embeds", () => {
  const facts = factsOf("ai.embedMany.doEmbed", {
    "ai.operationId": "ai.embedMany.doEmbed",
    "ai.values": ['"a"', '"b"'],
    "ai.telemetry.metadata.userId": "ada",
    "ai.telemetry.metadata.plan": "pro",
    "ai.telemetry.metadata.tags": ["x", "y"],
  });
  expect(facts).toMatchObject({ input: ['"a"', '"b"'], userId: "ada", metadata: { plan: "pro" }, tags: ["x", "y"] });
  expect(facts.metadata).toEqual({ plan: "pro" });
});

test("the context of a run of AI SDK 7 has its user, session and notes", () => {
  const facts = factsOf("invoke_agent gpt-4o", {
    "gen_ai.operation.name": "invoke_agent",
    "ai.settings.context.userId": "ada",
    "ai.settings.context.sessionId": "s-1",
    "ai.settings.context.plan": "pro",
  });
  expect(facts).toMatchObject({ userId: "ada", sessionId: "s-1" });
  expect(facts.metadata).toEqual({ plan: "pro" });
});

test("a workflow of ADK bears its name, and an agent in it its own", () => {
  const workflow = { "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "support" };
  expect(factsOf("invoke_workflow support", workflow)).toMatchObject({ kind: "graph", name: "support" });
  expect(factsOf("invoke_agent plan", { ...workflow, "gen_ai.agent.name": "plan" }).name).toBe("plan");
});

test("a run of LangSmith's SDK of JavaScript that threw is a failure, although its status says that it went well", () => {
  const exception = { name: "exception", nanos: 0n, attributes: new Map([["exception.message", "Error: 400 no such model"]]) };
  const span = { status: { code: 1, message: "" }, events: [exception], attributes: new Map([["langsmith.span.kind", "llm"]]) };
  expect(readSpanStatus(span)).toBe("failure");
  expect(readSpanError(span)).toBe("Error: 400 no such model");
  expect(readSpanStatus({ ...span, attributes: new Map() })).toBe("success");
});

test("an agent of Mastra has its input, output, user, session, tags and metadata", () => {
  const facts = factsOf("invoke_agent Weather", {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "Weather",
    "mastra.span.type": "agent_run",
    "mastra.agent_run.input": "How is it?",
    "mastra.agent_run.output": '{"text":"It is sunny.","files":[]}',
    "mastra.metadata.userId": "ada",
    "mastra.metadata.sessionId": "s-3",
    "mastra.metadata.plan": "pro",
    "mastra.tags": '["x"]',
  });
  expect(facts).toMatchObject({
    kind: "graph",
    name: "Weather",
    input: "How is it?",
    output: { text: "It is sunny." },
    userId: "ada",
    sessionId: "s-3",
    metadata: { plan: "pro" },
    tags: ["x"],
  });
  expect(Object.keys(facts.attributes)).not.toContain("mastra.agent_run.input");
});

test("a model call of Mastra has the messages of the step around it", () => {
  const step = {
    "mastra.span.type": "model_step",
    "mastra.model_step.input": '[{"role":"user","content":"How is it?"}]',
    "mastra.model_step.output": '{"text":"","toolCalls":[{"toolCallId":"call-1","toolName":"weather","args":{"city":"Vienna"}}]}',
  };
  const call = {
    "gen_ai.operation.name": "chat",
    "mastra.span.type": "model_inference",
    "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":""}]}]',
    "mastra.completion_start_time": "2026-11-27T10:00:00.120Z",
  };
  const facts = readSpanFacts(spanOf("chat gpt-4o", call), undefined, spanOf("agent_step Weather", step));
  expect(facts).toMatchObject({ input: [{ role: "user", content: "How is it?" }], call: { time_to_first_token_ms: 120 } });
  expect(readMessages(facts.output, "assistant")).toMatchObject([
    { role: "assistant", parts: [{ type: "tool_call", name: "weather", callId: "call-1", value: { city: "Vienna" } }] },
  ]);
  expect(factsOf("chat gpt-4o", call).output).toMatchObject([{ role: "assistant" }]);
  const failed = { ...step, "mastra.model_step.output": '{"text":"","toolCalls":[]}' };
  expect(readSpanFacts(spanOf("chat gpt-4o", call), undefined, spanOf("agent_step Weather", failed)).output).toBeUndefined();
  expect(factsOf("workflow_step ask", { "gen_ai.operation.name": "workflow_step", "mastra.span.type": "workflow_step" }).kind).toBe("node");
});

test("components of Haystack's own tracer have a kind, a name, and a model with its tokens", () => {
  const meta = {
    model: "gpt-4o-2024-08-06",
    usage: { prompt_tokens: 30, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10 }, completion_tokens_details: null },
  };
  const reply = { role: "assistant", meta, name: null, content: [{ text: "It is sunny." }] };
  const called = component("llm", "OpenAIChatGenerator", {
    "haystack.component.input": '{"messages": [{"role": "user", "content": [{"text": "How is it?"}]}], "tools": null}',
    "haystack.component.output": JSON.stringify({ replies: [reply] }),
  });
  expect(called).toMatchObject({
    kind: "llm",
    name: "llm",
    call: { model: "gpt-4o-2024-08-06", usage: { input_tokens: 30, output_tokens: 7, cache_read_tokens: 10 } },
  });
  expect(readMessages(called.input, "user")).toMatchObject([{ role: "user", parts: [{ type: "text", value: "How is it?" }] }]);
  expect(readMessages(called.output, "assistant")).toMatchObject([{ role: "assistant", parts: [{ type: "text", value: "It is sunny." }] }]);
  expect(Object.keys(called.attributes)).toEqual(["haystack.component.name", "haystack.component.type"]);

  const documents = [{ id: "d", content: "Vienna is sunny." }];
  const found = component("retriever", "InMemoryBM25Retriever", { "haystack.component.output": JSON.stringify({ documents }) });
  expect(found).toMatchObject({ kind: "retriever", output: documents });
  const embedded = component("embed", "OpenAITextEmbedder", {
    "haystack.component.output": '{"embedding": [0.1], "meta": {"model": "text-embedding-3-small", "usage": {"prompt_tokens": 5}}}',
  });
  expect(embedded).toMatchObject({ kind: "span", call: { model: "text-embedding-3-small", usage: { input_tokens: 5 } } });
  expect(component("prompt", "ChatPromptBuilder", {}).kind).toBe("node");
});

test("an agent of Haystack, its steps and its tools", () => {
  const call = { tool_call: { tool_name: "weather", arguments: { city: "Vienna" }, id: "call-1", extra: null } };
  const result = { tool_call_result: { result: "sunny", origin: call.tool_call, error: false } };
  const messages = [
    { role: "assistant", meta: {}, content: [call] },
    { role: "tool", meta: {}, content: [result] },
  ];
  expect(factsOf("haystack.agent.run", { "haystack.agent.input": '{"messages": []}' })).toMatchObject({
    kind: "graph",
    input: { messages: [] },
  });
  const asked = factsOf("haystack.agent.step.llm", { "haystack.agent.step.llm.input": JSON.stringify({ messages }) });
  expect(asked.kind).toBe("llm");
  expect(readMessages(asked.input, "user")).toMatchObject([
    { role: "assistant", parts: [{ type: "tool_call", name: "weather", callId: "call-1" }] },
    { role: "tool", parts: [{ type: "tool_result", name: "weather", callId: "call-1", value: "sunny", isError: false }] },
  ]);
  expect(
    factsOf("haystack.agent.step.tool", {
      "haystack.tool.name": "weather",
      "haystack.agent.step.tool.input": '{"city": "Vienna"}',
      "haystack.agent.step.tool.output": "sunny",
    }),
  ).toMatchObject({ kind: "tool", toolName: "weather", input: { city: "Vienna" }, output: "sunny" });
});

test("a workflow of the Agent Framework bears its name", () => {
  expect(factsOf("workflow.run", { "workflow.name": "pipeline" }).name).toBe("pipeline");
});

test("a request that failed without a word has its status", () => {
  const span = { status: { code: 2, message: "" }, events: [], attributes: new Map<string, OtlpValue>([["http.status_code", 400]]) };
  expect(readSpanError(span)).toBe("HTTP status 400");
});

const START = BigInt(Date.parse("2026-11-27T10:00:00Z")) * 1_000_000n;

function factsOf(name: string, attributes: Attributes, events: readonly OtlpEvent[] = []) {
  return readSpanFacts(spanOf(name, attributes, events));
}

function component(name: string, type: string, attributes: Attributes) {
  return factsOf("haystack.component.run", { "haystack.component.name": name, "haystack.component.type": type, ...attributes });
}

function spanOf(name: string, attributes: Attributes, events: readonly OtlpEvent[] = []) {
  return { name, attributes: new Map(Object.entries(attributes)), startNanos: START, endNanos: START + 60_000_000_000n, events };
}
