import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { createJsonReader } from "./attribute-reader.ts";
import { withPrefix } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import { createFactReader } from "./fact-reader.ts";

/** A span that each dialect reads, and one of the facts it finds there. */
const EXAMPLES: Readonly<Record<string, readonly [name: string, attributes: Record<string, OtlpValue>, found: object]>> = {
  LangGraph: ["plan", { "openinference.span.kind": "CHAIN", metadata: '{"langgraph_node":"plan"}' }, { kind: "node" }],
  Mastra: ["run", { "mastra.span.type": "agent_run", "mastra.agent_run.input": "hi" }, { input: "hi" }],
  Haystack: ["haystack.agent.step.llm", { "haystack.agent.step.llm.output": "hi" }, { kind: "llm", output: "hi" }],
  Langfuse: ["run", { "langfuse.release": "1.2" }, { release: "1.2" }],
  LangSmith: ["run", { "langsmith.span.tags": "vip, eu" }, { tags: ["vip", "eu"] }],
  OpenTelemetry: ["run", { "enduser.id": "ada" }, { userId: "ada" }],
  GenAI: ["chat", { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" }, { kind: "llm", requestModel: "m" }],
  OpenInference: ["call", { "openinference.span.kind": "TOOL", "tool.name": "weather" }, { kind: "tool", toolName: "weather" }],
  "AI SDK": ["call", { "ai.operationId": "ai.toolCall", "ai.toolCall.args": '{"a":1}' }, { kind: "tool", toolInput: { a: 1 } }],
  Traceloop: ["ask.task", { "traceloop.span.kind": "task", "traceloop.entity.name": "ask" }, { kind: "node", name: "ask" }],
  "Pydantic AI": ["run", { "pydantic_ai.all_messages": "[1]" }, { input: [1] }],
  OpenLIT: ["chat", { "gen_ai.server.time_to_first_token": 0.2 }, { firstTokenSeconds: 0.2 }],
  LangChain: ["run", { metadata: '{"thread_id":7}' }, { threadId: 7, metadata: { thread_id: 7 } }],
  "Agent Framework": ["workflow.run", { "workflow.name": "pipeline" }, { name: "pipeline" }],
  CrewAI: ["Researcher.find._execute_core", {}, { name: "Researcher.find" }],
  DSPy: ["weather.__call__", {}, { toolName: "weather" }],
  "GenAI events": ["chat", {}, { eventInput: { role: "user", content: "hi" } }],
};

test("each dialect has a name of its own, an example here, and a file that dialects.ts lists", async () => {
  expect(DIALECTS.map(({ name }) => name)).toEqual(Object.keys(EXAMPLES));
  const shared = ["attribute-reader.ts", "dialect.ts", "dialects.ts", "fact-reader.ts", "langgraph-interrupts.ts"];
  const files = (await readdir(import.meta.dirname)).filter((file) => !file.endsWith(".test.ts") && !shared.includes(file));
  expect(files).toHaveLength(DIALECTS.length);
});

describe.each(DIALECTS)("$name", ({ name, canRead, facts = {}, hides, readEvent, readTask }) => {
  const [spanName, attributes, found] = EXAMPLES[name] ?? ["", {}, {}];
  const event = { name: "gen_ai.user.message", nanos: 0n, attributes: new Map([["content", "hi"]]) };
  const span = { name: spanName, attributes: new Map(Object.entries(attributes)), events: readEvent === undefined ? [] : [event] };

  test("reads its span, and no span without a word of its own", () => {
    expect(canRead(span, new Set(Object.keys(attributes).map((key) => key.split(".")[0] ?? "")))).toBe(true);
    expect(canRead({ name: "GET /orders", attributes: new Map([["http.route", "/orders"]]), events: [] }, new Set(["http"]))).toBe(false);
  });

  test("finds the fact, and says something that others do not", () => {
    const read = createFactReader(span, createJsonReader());
    const all = Object.fromEntries(Object.keys(found).map((fact) => [fact, read.value(fact as keyof typeof facts)]));
    expect({ ...all, kind: read.kind, eventInput: read.readEvent(event).input }).toMatchObject(found);
    expect([Object.keys(facts).length > 0, hides, readEvent, readTask].some(Boolean)).toBe(true);
  });
});

test("the first dialect that has a fact wins, and another is asked where it has none", () => {
  const attributes = { "gen_ai.response.model": "", "llm.model_name": "m-1", "ai.response.model": "m-2" };
  const read = createFactReader({ name: "", attributes: new Map(Object.entries(attributes)), events: [] }, createJsonReader());
  expect(read.text("responseModel")).toBe("m-1");
  expect(withPrefix("ai")({ name: "", attributes: new Map(), events: [] }, new Set(["ai"]))).toBe(true);
});
