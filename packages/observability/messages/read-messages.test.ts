import { AIMessage, HumanMessage, mapChatMessagesToStoredMessages, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { readMessages } from "./read-messages.ts";

const QUESTION = "Where is order 42?";
const CALL = { type: "tool_call", name: "find_order", callId: "call-1", value: { order: 42 } };
const RESULT = { type: "tool_result", callId: "call-1", value: { state: "shipped" } };

/** The same talk in each library's words. */
const CONVERSATION = [
  { role: "system", parts: [{ type: "text", value: "Be brief." }] },
  { role: "user", parts: [{ type: "text", value: QUESTION }] },
  { role: "assistant", parts: [CALL] },
  { role: "tool", parts: [RESULT] },
  { role: "assistant", parts: [{ type: "text", value: "It was shipped." }] },
];

const langChain = [
  new SystemMessage("Be brief."),
  new HumanMessage(QUESTION),
  new AIMessage({ content: "", tool_calls: [{ id: "call-1", name: "find_order", args: { order: 42 }, type: "tool_call" }] }),
  new ToolMessage({ content: '{"state":"shipped"}', tool_call_id: "call-1", name: "find_order" }),
  new AIMessage("It was shipped."),
];

const libraries: Readonly<Record<string, unknown>> = {
  "LangChain, serialised": JSON.parse(JSON.stringify(langChain)),
  "LangChain, stored": mapChatMessagesToStoredMessages(langChain),
  "LangChain, as the SDK records it": langChain.map((message) => ({
    type: message.getType(),
    content: message.content,
    ...(AIMessage.isInstance(message) ? { tool_calls: message.tool_calls } : {}),
    ...(ToolMessage.isInstance(message) ? { tool_call_id: message.tool_call_id, name: message.name } : {}),
  })),
  "LangChain's batches of prompts": [JSON.parse(JSON.stringify(langChain))],
  "OpenAI's chat": [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: QUESTION }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call-1", type: "function", function: { name: "find_order", arguments: '{"order":42}' } }],
    },
    { role: "tool", tool_call_id: "call-1", content: '{"state":"shipped"}' },
    { role: "assistant", content: "It was shipped." },
  ],
  "OpenAI's responses": [
    { type: "message", role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: QUESTION }] },
    { type: "function_call", id: "fc-9", call_id: "call-1", name: "find_order", arguments: '{"order":42}', status: "completed" },
    { type: "function_call_output", call_id: "call-1", output: '{"state":"shipped"}' },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "It was shipped.", annotations: [] }] },
  ],
  Anthropic: [
    { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
    { role: "user", content: QUESTION },
    { role: "assistant", content: [{ type: "tool_use", id: "call-1", name: "find_order", input: { order: 42 } }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call-1", content: [{ type: "text", text: '{"state":"shipped"}' }] }],
    },
    { role: "assistant", content: [{ type: "text", text: "It was shipped." }] },
  ],
  "the AI SDK": [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: QUESTION }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "call-1", toolName: "find_order", input: { order: 42 } }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "call-1", toolName: "find_order", output: { type: "json", value: { state: "shipped" } } },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "It was shipped." }] },
  ],
  "the GenAI conventions": [
    { role: "system", parts: [{ type: "text", content: "Be brief." }] },
    { role: "user", parts: [{ type: "text", content: QUESTION }] },
    { role: "assistant", parts: [{ type: "tool_call", id: "call-1", name: "find_order", arguments: { order: 42 } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "call-1", response: { state: "shipped" } }] },
    { role: "assistant", parts: [{ type: "text", content: "It was shipped." }], finish_reason: "stop" },
  ],
  OpenInference: [
    { role: "system", content: "Be brief." },
    { role: "user", contents: [{ message_content: { type: "text", text: QUESTION } }] },
    {
      role: "assistant",
      tool_calls: [{ tool_call: { id: "call-1", function: { name: "find_order", arguments: '{"order":42}' } } }],
    },
    { role: "tool", tool_call_id: "call-1", content: '{"state":"shipped"}' },
    { message: { role: "assistant", content: "It was shipped." } },
  ],
  Gemini: {
    system_instruction: { parts: [{ text: "Be brief." }] },
    messages: [
      { role: "user", parts: [{ text: QUESTION }] },
      { role: "model", parts: [{ functionCall: { id: "call-1", name: "find_order", args: { order: 42 } } }] },
      { role: "user", parts: [{ functionResponse: { id: "call-1", name: "find_order", response: { state: "shipped" } } }] },
      { role: "model", parts: [{ text: "It was shipped." }] },
    ],
  },
};

describe("messages are read the same", () => {
  test.each(Object.entries(libraries))("from %s", (_name, value) => {
    expect(readMessages(value, "user")).toMatchObject(CONVERSATION);
    expect(readMessages(value, "user")).toHaveLength(CONVERSATION.length);
  });
});

test.each([
  ["a text", "It was shipped."],
  ["a chat's answer", { role: "assistant", content: "It was shipped." }],
  ["a chat's whole answer", { choices: [{ index: 0, message: { role: "assistant", content: "It was shipped." } }] }],
  ["LangChain's result", { generations: [[{ text: "It was shipped.", message: { type: "ai", content: "It was shipped." } }]] }],
  ["the AI SDK's parts", [{ type: "text", text: "It was shipped." }]],
  ["the AI SDK's spans", { text: "It was shipped." }],
  ["a list of texts", ["It was shipped."]],
])("an answer is the assistant's: %s", (_name, value) => {
  expect(readMessages(value, "assistant")).toMatchObject([{ role: "assistant", parts: [{ type: "text", value: "It was shipped." }] }]);
});

test("reasoning, in each provider's words, is a part before the answer", () => {
  const answers = [
    { role: "assistant", content: "Cats.", reasoning_content: "They purr." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "They purr.", signature: "s" },
        { type: "text", text: "Cats." },
      ],
    },
    {
      type: "ai",
      content: [
        { type: "reasoning", reasoning: "They purr." },
        { type: "text", text: "Cats." },
      ],
    },
    { type: "ai", content: "Cats.", additional_kwargs: { reasoning_content: "They purr." } },
    [
      { type: "reasoning", summary: [{ type: "summary_text", text: "They purr." }] },
      { type: "text", text: "Cats." },
    ],
    { role: "model", parts: [{ text: "They purr.", thought: true }, { text: "Cats." }] },
    { text: "Cats.", reasoning: "They purr." },
  ];
  for (const answer of answers) {
    expect(readMessages(answer, "assistant").flatMap(({ parts }) => parts)).toMatchObject([
      { type: "reasoning", value: "They purr." },
      { type: "text", value: "Cats." },
    ]);
  }
});

test("pictures, sounds and files are placeholders without their data", () => {
  const data = "A".repeat(50_000);
  const [message] = readMessages(
    [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
          { type: "image", image: "https://example.org/cat.png", mediaType: "image/png" },
          { type: "input_audio", input_audio: { data, format: "wav" } },
          { type: "file", mediaType: "application/pdf", data, filename: "order.pdf" },
          { inlineData: { mimeType: "image/webp", data } },
        ],
      },
    ],
    "user",
  );
  expect(message?.parts).toMatchObject([
    { type: "media", mediaType: "image/png", value: "" },
    { type: "media", mediaType: "image/jpeg", value: "", characters: 50_000 },
    { type: "media", mediaType: "image/png", value: "https://example.org/cat.png" },
    { type: "media", mediaType: "wav", value: "" },
    { type: "media", mediaType: "application/pdf", name: "order.pdf", value: "" },
    { type: "media", mediaType: "image/webp", value: "" },
  ]);
});

test("a tool that failed says so, in Anthropic's words, in LangChain's and in the AI SDK's", () => {
  const failed = [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "no stock", is_error: true }] },
    { type: "tool", tool_call_id: "c", content: "no stock", status: "error" },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "t", output: { type: "error-text", value: "no stock" } }] },
    { role: "tool", content: [{ type: "tool-error", toolCallId: "c", toolName: "t", error: "no stock" }] },
  ];
  for (const message of failed) {
    expect(readMessages([message], "user")).toMatchObject([
      { role: "tool", parts: [{ type: "tool_result", value: "no stock", isError: true }] },
    ]);
  }
});

test("what the platform cut, or does not have, is shown as that", () => {
  expect(readMessages([{ truncated: true, characters: 900_000, preview: "[{" }], "user")).toMatchObject([
    { role: "user", parts: [{ type: "text", value: "[{", characters: 900_000 }] },
  ]);
  const missing = { $blob: "a".repeat(64), missing: true };
  expect(readMessages([{ role: "user", content: "hi" }, missing], "user")).toMatchObject([
    {},
    { parts: [{ type: "other", value: missing }] },
  ]);
});

test.each<[unknown]>([
  [null],
  [42],
  [[null, 1, [[]]]],
  [{}],
  [{ role: 7, content: { a: 1 } }],
  [{ messages: { messages: [] } }],
  [[{ type: 3 }]],
])("nonsense is no reason to fail: %j", (value) => {
  expect(Array.isArray(readMessages(value, "user"))).toBe(true);
});
