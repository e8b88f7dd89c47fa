import { expect, test } from "vitest";
import { LINE_LENGTH, toLine } from "./line.ts";

const input = { side: "input", isModelCall: false } as const;
const output = { side: "output", isModelCall: false } as const;

test.each<[string, unknown, typeof input | typeof output, string | undefined]>([
  [
    "the newest question",
    {
      messages: [
        ["human", "First?"],
        ["ai", "Yes."],
        ["human", "Then?"],
      ],
    },
    input,
    "Then?",
  ],
  [
    "the question, not the tool's result behind it",
    [
      { role: "user", content: "Where?" },
      { role: "tool", content: "far" },
    ],
    input,
    "Where?",
  ],
  [
    "the answer",
    {
      messages: [
        { type: "human", content: "Where?" },
        { type: "ai", content: "There." },
      ],
    },
    output,
    "There.",
  ],
  [
    "a call, where that is the answer",
    [{ role: "assistant", content: "", tool_calls: [{ name: "find", args: { id: 42, by: "a" } }] }],
    output,
    'find(42, "a")',
  ],
  ["Markdown without its marks", [{ role: "user", content: "# Order\n**48213** is late" }], input, "Order 48213 is late"],
  ["a text with its breaks", "two\n\tlines", input, "two lines"],
  ["what is called a question", { question: "Where?", depth: 3 }, input, "Where?"],
  ["a task among settings, as smolagents writes it", { task: "Find it", stream: false, images: null }, input, "Find it"],
  ["the only text", { order: "late" }, input, "late"],
  ["the one argument of a function of Python's", { args: ["Where?"], kwargs: {} }, input, "Where?"],
  ["a call with more arguments", { args: ["a"], kwargs: { b: 1 } }, input, '{"args":["a"],"kwargs":{"b":1}}'],
  [
    "what a crew gave back, not what was said for it",
    { raw: "Sunny.", pydantic: null, json_dict: null, tasks_output: [{ raw: "Sunny.", messages: [{ role: "user", content: "Task" }] }] },
    output,
    "Sunny.",
  ],
  ["JSON, where nothing is a text", { n: 1, list: [1, 2] }, input, '{"n":1,"list":[1,2]}'],
  [
    "what a graph was resumed with",
    { lg_name: "Command", lg_direct_tool_call: false, resume: { approved: true }, goto: [] },
    input,
    'Resumed with {"approved":true}',
  ],
  ["the same of Python", { graph: null, update: null, resume: "yes", goto: [] }, input, "Resumed with yes"],
  ["no Command, but what an application calls so", { resume: "My work", goto: "page" }, input, '{"resume":"My work","goto":"page"}'],
  ["nothing", null, input, undefined],
  ["what was sent before", { messages: [{ role: "user", content: "old" }, { $blob: "a".repeat(64) }] }, output, undefined],
  ["a list of what was sent before", [{ $blob: "a".repeat(64) }, { $blob: "b".repeat(64) }], output, undefined],
  ["a whole that was sent before", { $blob: "a".repeat(64) }, output, undefined],
])("a line says %s", (_name, value, given, line) => {
  expect(toLine(value, given)).toBe(line);
});

test("is no longer than it may be, in whole characters", () => {
  const line = toLine("🙂".repeat(500), input) ?? "";
  expect(Array.from(line)).toHaveLength(LINE_LENGTH);
  expect(line.endsWith("🙂…")).toBe(true);
  expect(toLine({ rows: Array.from({ length: 100_000 }, (_, index) => index) }, input)?.length).toBe(LINE_LENGTH);
});
