import { createModelServer, type ModelAnswer, type ModelRequest } from "./model-server.ts";

const CHAT_USAGE = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 };
const CHAT = { id: "c1", object: "chat.completion", created: 1, model: "m-2026" };
const RESPONSE = {
  id: "r1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m-2026",
  output: [
    { id: "f1", type: "function_call", name: "search", call_id: "x", arguments: "{}", status: "completed" },
    { id: "m1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
  ],
};
const PLACE = { item_id: "m1", output_index: 1, content_index: 0 };
const MESSAGE = {
  id: "m1",
  type: "message",
  role: "assistant",
  model: "claude-2026",
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 7 },
};
const THINKING = { type: "thinking", thinking: "Let me see.", signature: "s" };
const TOOL = { type: "tool_use", id: "t1", name: "search", input: { q: "cats" } };

/** A server that answers each of the clients' kinds of calls, whole and as a stream. */
export async function serveModels() {
  return await createModelServer(answer);
}

function answer({ path, body }: ModelRequest): ModelAnswer {
  if (body["model"] === "failing") {
    return { status: 400, json: { error: { message: "no such model", type: "x" } } };
  }
  const isStream = body["stream"] === true;
  if (path === "/chat/completions") {
    return isStream ? { events: CHAT_EVENTS.map((data) => ({ data })) } : { json: CHAT_ANSWER };
  }
  if (path === "/responses") {
    return isStream ? { events: named(RESPONSE_EVENTS) } : { json: RESPONSE };
  }
  return isStream
    ? { events: named(MESSAGE_EVENTS) }
    : { json: { ...MESSAGE, content: [THINKING, { type: "text", text: "Looking" }, TOOL] } };
}

const named = (events: readonly { readonly type: string }[]) => events.map((data) => ({ name: data.type, data }));

const CHAT_ANSWER = {
  ...CHAT,
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello", reasoning_content: "Greet back." } }],
  usage: CHAT_USAGE,
};
const chunk = (delta: object, finish: string | null = null) => ({
  ...CHAT,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const CHAT_EVENTS = [
  chunk({ role: "assistant", content: "Hel" }),
  chunk({ content: "lo" }),
  chunk({ tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "search", arguments: '{"q":1}' } }] }),
  chunk({}, "tool_calls"),
  "[DONE]",
];
const RESPONSE_EVENTS = [
  { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: RESPONSE.output[0] },
  { type: "response.output_item.done", output_index: 0, item: RESPONSE.output[0] },
  { type: "response.output_item.added", output_index: 1, item: { ...RESPONSE.output[1], content: [] } },
  { type: "response.content_part.added", ...PLACE, part: { type: "output_text", text: "", annotations: [] } },
  { type: "response.output_text.delta", ...PLACE, delta: "Hi" },
  { type: "response.completed", response: RESPONSE },
].map((event, number) => ({ ...event, sequence_number: number }));
const MESSAGE_EVENTS = [
  { type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Looking" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { ...TOOL, input: {} } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"q":"cats"}' } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];
