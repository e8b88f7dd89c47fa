import { expect, test } from "vitest";
import { createHistory } from "./transcript-history.ts";
import type { RawMessage } from "#messages/read-messages.ts";

test("a call that gets the whole history says only what came after it", () => {
  const { call } = createTalk();
  expect(call(["system", "q1"], "a1")).toEqual(["system", "q1"]);
  expect(call(["system", "q1", "a1", "q2"], "a2")).toEqual(["q2"]);
  expect(call(["system", "q1", "a1", "q2", "a2", "q3"], "a3")).toEqual(["q3"]);
});

test("the same word said twice is two messages", () => {
  const { call } = createTalk();
  call(["q1"], "Shall I go on?");
  expect(call(["q1", "Shall I go on?", "yes"], "Shall I really?")).toEqual(["yes"]);
  expect(call(["q1", "Shall I go on?", "yes", "Shall I really?", "yes"], "Done.")).toEqual(["yes"]);
});

test("a history whose beginning was dropped is a history still", () => {
  const { call } = createTalk();
  call(["system", "q1"], "a1");
  call(["system", "q1", "a1", "q2"], "a2");
  expect(call(["system", "a1", "q2", "a2", "q3"], "a3")).toEqual(["q3"]);
});

test("another agent's talk is its own, but for the instructions that both have", () => {
  const { call } = createTalk();
  call(["system", "q1"], "a1");
  expect(call(["system", "another question"], "b1")).toEqual(["another question"]);
  expect(call(["other instructions", "q1"], "c1")).toEqual(["other instructions", "q1"]);
});

test("a tool's result is not said again where a model is told of it, whatever the order of its keys", () => {
  const history = createHistory();
  history.addToolResult({ type: "tool_result", value: { state: "shipped", order: 42 } });
  const told: RawMessage = { role: "tool", parts: [{ type: "tool_result", callId: "c", value: { order: 42, state: "shipped" } }] };
  const again: RawMessage = { role: "tool", parts: [{ type: "tool_result", callId: "d", value: { order: 42, state: "shipped" } }] };
  expect(history.repeatedIn([said("q"), told, again])).toEqual(new Set([told]));
});

function createTalk() {
  const history = createHistory();
  return {
    /** The texts that are new in it. */
    call: (input: readonly string[], output: string): readonly string[] => {
      const messages = input.map(said);
      const repeated = history.repeatedIn(messages);
      history.add([...messages, said(output)]);
      return input.filter((_text, index) => messages[index] !== undefined && !repeated.has(messages[index]));
    },
  };
}

function said(text: string): RawMessage {
  return { role: "user", parts: [{ type: "text", value: text }] };
}
