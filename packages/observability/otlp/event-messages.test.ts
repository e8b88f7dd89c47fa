import { expect, test } from "vitest";
import { readConversation } from "#messages/conversation.ts";
import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpanFacts } from "./span-facts.ts";

type Given = readonly [name: string, attributes: Readonly<Record<string, OtlpValue>>];

const use = { toolUse: { toolUseId: "call-1", name: "weather", input: { city: "Vienna" } } };
const result = { toolResult: { toolUseId: "call-1", status: "success", content: [{ text: "sunny" }] } };

test("a model call of Strands Agents has the messages of its events, and what else happened stays an event", () => {
  const facts = factsOf({ "gen_ai.operation.name": "chat" }, [
    ["gen_ai.system.message", { content: '[{"text": "Be brief."}]' }],
    ["gen_ai.user.message", { content: '[{"text": "How is the weather?"}]' }],
    ["gen_ai.assistant.message", { content: JSON.stringify([use]) }],
    ["gen_ai.tool.message", { content: JSON.stringify([result]) }],
    ["retry", { attempt: 1 }],
    ["gen_ai.choice", { finish_reason: "end_turn", message: '[{"text": "It is sunny."}]' }],
  ]);
  expect(facts.events.map(({ name }) => name)).toEqual(["retry"]);
  const asked = readConversation(facts.input, { side: "input", isModelCall: true })?.messages;
  expect(asked?.map(({ role, parts }) => [role, parts.map(({ type, callId, value }) => [type, callId, value])])).toEqual([
    ["system", [["text", undefined, "Be brief."]]],
    ["user", [["text", undefined, "How is the weather?"]]],
    ["assistant", [["tool_call", "call-1", { city: "Vienna" }]]],
    ["tool", [["tool_result", "call-1", [{ text: "sunny" }]]]],
  ]);
  const answered = readConversation(facts.output, { side: "output", isModelCall: true })?.messages;
  expect(answered).toMatchObject([{ role: "assistant", parts: [{ type: "text", value: "It is sunny." }] }]);
});

test("a tool's message is its arguments, its choice the result", () => {
  const facts = factsOf({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather" }, [
    ["gen_ai.tool.message", { role: "tool", content: '{"city": "Vienna"}', id: "call-1" }],
    ["gen_ai.choice", { message: '[{"text": "sunny"}]', id: "call-1" }],
  ]);
  expect(facts).toMatchObject({ kind: "tool", input: { city: "Vienna" }, output: [{ text: "sunny" }], events: [] });
});

test("messages as the JSON of one attribute, as Semantic Kernel and Azure write them", () => {
  const facts = factsOf({ "gen_ai.operation.name": "chat" }, [
    ["gen_ai.user.message", { "gen_ai.system": "openai", "gen_ai.event.content": '{"role":"user","content":"Where?"}' }],
    ["gen_ai.user.message", { "gen_ai.event.content": "In words" }],
    ["gen_ai.choice", { "gen_ai.event.content": '{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"There."}}' }],
  ]);
  expect(facts.input).toEqual([
    { role: "user", content: "Where?" },
    { role: "user", content: "In words" },
  ]);
  expect(facts.output).toEqual([{ role: "assistant", index: 0, finish_reason: "stop", content: "There." }]);
});

test("the prompt and the completion of OpenLIT, and the attributes of today in one event", () => {
  const openLit = factsOf({ "gen_ai.operation.name": "chat" }, [
    ["gen_ai.content.prompt", { "gen_ai.prompt": "user: Where?" }],
    ["gen_ai.content.completion", { "gen_ai.completion": "There." }],
  ]);
  expect(openLit).toMatchObject({ input: ["user: Where?"], output: ["There."], events: [] });
  const input = [{ role: "user", parts: [{ type: "text", content: "Where?" }] }];
  const output = [{ role: "assistant", parts: [{ type: "text", content: "There." }] }];
  const details = factsOf({ "gen_ai.operation.name": "chat" }, [
    ["gen_ai.client.inference.operation.details", { "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]' }],
    ["gen_ai.client.inference.operation.details", { "gen_ai.input.messages": JSON.stringify(input) }],
    ["gen_ai.client.inference.operation.details", { "gen_ai.output.messages": JSON.stringify(output) }],
  ]);
  expect(details).toMatchObject({
    input: [{ role: "system", parts: [{ type: "text", content: "Be brief." }] }, ...input],
    output,
    events: [],
  });
});

test("attributes come before events, which then stay what they are", () => {
  const facts = factsOf({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": '[{"role":"user","parts":[]}]' }, [
    ["gen_ai.user.message", { content: "the same" }],
    ["gen_ai.choice", { message: "There." }],
  ]);
  expect(facts.input).toEqual([{ role: "user", parts: [] }]);
  expect(facts.output).toEqual([{ role: "assistant", content: "There." }]);
  expect(facts.events.map(({ name }) => name)).toEqual(["gen_ai.user.message"]);
});

test("a list of hundreds of thousands of messages is read", () => {
  const messages = JSON.stringify(Array.from({ length: 300_000 }, () => "a"));
  const facts = factsOf({ "gen_ai.operation.name": "chat" }, [
    ["gen_ai.client.inference.operation.details", { "gen_ai.input.messages": messages }],
  ]);
  expect(facts.input).toHaveLength(300_000);
});

test("an event whose content was not recorded is no message", () => {
  const facts = factsOf({ "gen_ai.operation.name": "chat" }, [["gen_ai.user.message", { "gen_ai.system": "openai" }]]);
  expect(facts.input).toBeUndefined();
  expect(facts.events).toHaveLength(1);
});

function factsOf(attributes: Readonly<Record<string, OtlpValue>>, events: readonly Given[]) {
  return readSpanFacts({
    name: "chat",
    attributes: new Map(Object.entries(attributes)),
    startNanos: 1n,
    endNanos: 2n,
    events: events.map(([name, given]) => ({ name, nanos: 1n, attributes: new Map(Object.entries(given)) })),
  });
}
