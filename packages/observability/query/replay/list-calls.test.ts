import { expect, test } from "vitest";
import type { Observation } from "#contract.ts";
import { listCalls, type RecordedStep } from "./list-calls.ts";

const STEP: RecordedStep = {
  endSeq: 3,
  id: "",
  parent_id: null,
  kind: "tool",
  name: "find",
  status: "success",
  started_at: "2026-11-29T10:00:00.000Z",
  ended_at: "2026-11-29T10:00:01.000Z",
  duration_ms: 1,
  time_to_first_token_ms: null,
  seq: 1,
  prompt: null,
  model: null,
  input_tokens: null,
  output_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
  reported_cost: null,
  cost: null,
  error: null,
  code: null,
  input: null,
  output: "x",
  reasoning: null,
  attributes: {},
  stack: null,
};
const list = (...steps: readonly Partial<RecordedStep>[]) =>
  listCalls(steps.map((step, index) => ({ ...STEP, id: String(index), ...step })));

test("calls and visits of nodes are listed by their paths, without what is below an answered call", () => {
  const { calls, reasons } = list(
    { id: "n", kind: "node", name: "act" },
    { id: "a", parent_id: "n", name: "ask", input: 1 },
    { id: "b", parent_id: "a", kind: "llm", name: "inner", output: null },
    { id: "t", name: "team", output: "[more keys]" },
    { id: "g", parent_id: "t", kind: "graph", name: "sub" },
    { id: "c", parent_id: "g", input: 2 },
  );
  expect(reasons).toEqual([]);
  expect(calls.map(({ path, input, answer }) => [path, input, answer?.output])).toEqual([
    ["act", null, undefined],
    ["act > tool ask", 1, "x"],
    ["tool team", null, undefined],
    ["tool team > tool find", 2, "x"],
  ]);
});

test.each<[reason: string, step: Partial<Observation>]>([
  [
    "input/key, output was cut, masked or not kept when it was recorded",
    { input: { key: "[masked]" }, output: "aa...[cut: 9 characters]" },
  ],
  ["error was cut, masked or not kept when it was recorded", { status: "failure", output: null, error: "E: [masked]" }],
  ["output was cut, masked or not kept when it was recorded", { attributes: { masked_output: true } }],
  ["output had a value of the class tuple, of which JSON keeps only the content", { attributes: { returned: "tuple" } }],
  ["it has no recorded answer (interrupted)", { status: "interrupted" }],
  ["its error was not recorded", { status: "failure", output: null }],
  ["it failed in the midst of a stream", { status: "failure", output: ["x"], error: "E: no" }],
  ["it was recorded from the agent's state, not where it was called", { attributes: { source: "_tools_executed" } }],
  ["retrievers of LangChain are not answered", { kind: "retriever", attributes: { run_id: "r" } }],
  ["only chat models of LangChain are answered", { kind: "llm", attributes: { run_id: "r" }, output: ["text"] }],
  ["calls of the AI SDK are not answered", { attributes: { tool_call_id: "1" } }],
  ["calls of openai.embeddings are not answered", { kind: "llm", name: "openai.embeddings" }],
  [
    "its output was not recorded; wrap_llm_adapter() (wrapLlmAdapter()) records prompts and answers",
    { kind: "llm", name: "openai.chat", output: null },
  ],
])("it is refused that %s", (reason, step) => {
  const { kind, name } = { ...STEP, ...step };
  expect(list(step).reasons).toEqual([`${kind} ${name}, call 1: ${reason}`]);
});

test("calls of the same input are refused where they ran at once and had other answers", () => {
  const later = { seq: 4 };
  const twin = "tool find, call 2: another call of the same input ran at once, and had another answer";
  expect(list({}, { output: "y" }).reasons).toEqual([twin]);
  expect(list({}, {}).reasons).toEqual([]);
  expect(list({}, { output: "y", ...later }).reasons).toEqual([]);
  expect(list({}, { output: "y", input: 2 }).reasons).toEqual([]);
});

test("what a provider refused is sent with its status, and a failure without one is thrown as it reads", () => {
  const failed = { kind: "llm" as const, name: "openai.chat", status: "failure" as const, output: null };
  const httpOf = (error: string) => list({ ...failed, error }).calls[0]?.answer?.http;
  const said = { message: "no such model", error: { message: "no such model" } };
  expect(httpOf("BadRequestError: Error code: 400 - no such model")).toEqual({ status: 400, is_stream: false, body: JSON.stringify(said) });
  expect(httpOf('BadRequestError: 400 {"type":"error"}')).toEqual({ status: 400, is_stream: false, body: '{"type":"error"}' });
  expect(httpOf("APIConnectionError: Connection error.")).toBeNull();
});
