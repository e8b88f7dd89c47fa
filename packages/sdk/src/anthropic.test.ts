import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wrapAnthropic } from "./anthropic.ts";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "./index.ts";
import { sdkState } from "./client/sdk-state.ts";
import { createModelServer, type ModelRequest } from "#testing/model-server.ts";
import { expectTimeToFirstToken, FIRST_TOKEN_MS } from "#testing/first-token.ts";
import { recordEachTest } from "#testing/recording.ts";

const { recorded, options } = recordEachTest();

const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 5,
  output_tokens: 20,
  output_tokens_details: { thinking_tokens: 7 },
};
/** Anthropic's input leaves the cached tokens out; ours has them in. */
const counted = { input_tokens: 115, cache_read_tokens: 100, cache_write_tokens: 5, output_tokens: 20, reasoning_tokens: 7 };
const content = [
  { type: "thinking", thinking: "They purr.", signature: "s" },
  { type: "text", text: "Cats." },
  { type: "tool_use", id: "tool-1", name: "search", input: { query: "cats" } },
];
const message = { id: "msg-1", type: "message", role: "assistant", model: "claude-1-2026", content, stop_reason: "tool_use", usage };
const ask = {
  model: "claude-1",
  max_tokens: 100,
  system: "Be brief.",
  messages: [
    { role: "user" as const, content: "cats or dogs?" },
    { role: "assistant" as const, content: [{ type: "thinking" as const, thinking: "An old thought.", signature: "s" }] },
    { role: "user" as const, content: "well?" },
  ],
};

let server: Awaited<ReturnType<typeof createModelServer>>;
let client: Anthropic;

beforeAll(async () => {
  server = await createModelServer(answer);
});
afterAll(() => server.stop());
beforeEach(() => {
  sdkState.capturePrompts = false;
  client = wrapAnthropic(new Anthropic({ baseURL: server.url, apiKey: "sk-secret-of-the-app", maxRetries: 0 }));
});

describe("A wrapped Anthropic client", () => {
  it("records model, tokens with the cached ones in, and tools, but no prompt until asked to", async () => {
    expect((await client.messages.create(ask)).content).toEqual(content);
    const { tree, find, events } = await recorded();
    expect(tree).toEqual(["llm anthropic.messages < -"]);
    expect(find("anthropic.messages").end).toMatchObject({
      status: "success",
      model: "claude-1-2026",
      usage: { ...counted, raw: usage },
      attributes: { stop_reason: "tool_use", tool_calls: ["search"] },
    });
    expect(JSON.stringify(events)).not.toMatch(/cats or dogs|Cats\.|purr|Be brief|sk-secret/);
  });

  it("records streams, by `create` and by `stream`, as the same call without", async () => {
    wrapLlmAdapter();
    await client.messages.create(ask);
    let chunks = 0;
    for await (const _event of await client.messages.create({ ...ask, stream: true })) {
      chunks += 1;
    }
    expect(chunks).toBe(12);
    expect((await client.messages.stream(ask).finalMessage()).content).toMatchObject([{}, { text: "Cats." }, { input: { query: "cats" } }]);
    const { ends, starts } = await recorded();
    expect(starts[0]).toMatchObject({ input: [{ role: "system", content: "Be brief." }, ask.messages[0], {}, ask.messages[2]] });
    const whole = {
      status: "success",
      model: "claude-1-2026",
      usage: counted,
      output: { role: "assistant", content: [{ text: "Cats." }, { name: "search", input: { query: "cats" } }] },
      reasoning: { text: "They purr." },
    };
    expect(ends).toMatchObject([whole, whole, whole]);
  });

  it("says how long a stream took to its first content, and nothing for a call that did not stream", async () => {
    await client.messages.create(ask);
    await client.messages.stream({ ...ask, model: "slow" }).finalMessage();
    const { ends } = await recorded();
    expect(ends).toHaveLength(2);
    expect(ends[0]).not.toHaveProperty("time_to_first_token_ms");
    expectTimeToFirstToken(ends[1] ?? {});
  });

  it("keeps reasoning back where it is not to be recorded, that of earlier answers in the prompt too", async () => {
    await closeRedisPublisher();
    await initializeRedisPublisher({ ...options(), captureReasoning: false });
    wrapLlmAdapter();
    await client.messages.create(ask);
    for await (const _event of await client.messages.create({ ...ask, stream: true })) {
      // Only read.
    }
    const { events } = await recorded();
    expect(JSON.stringify(events)).toContain("cats or dogs?");
    expect(JSON.stringify(events)).not.toMatch(/An old thought|They purr/);
  });

  it("records a failure and throws the client's own error; a stream's error in the middle too", async () => {
    await expect(client.messages.create({ ...ask, model: "broken" })).rejects.toThrow(APIError);
    await expect(client.messages.stream({ ...ask, model: "cut" }).finalMessage()).rejects.toThrow(/terminated|ended/);
    const { ends, traceEnds } = await recorded();
    expect(ends).toMatchObject([
      { status: "failure", error: expect.stringContaining("overloaded") },
      { status: "failure", usage: {} },
    ]);
    expect(traceEnds).toMatchObject([{ status: "failure" }, { status: "failure" }]);
  });
});

function answer({ body }: ModelRequest) {
  if (body["model"] === "broken") {
    return { status: 529, json: { type: "error", error: { type: "overloaded_error", message: "overloaded" } } };
  }
  if (body["stream"] !== true) {
    return { json: message };
  }
  const events = [
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1, output_tokens_details: null } },
    },
    ...content.flatMap((block, index) => [
      {
        type: "content_block_start",
        index,
        content_block: { ...block, ...(block.type === "tool_use" ? { input: {} } : { text: "", thinking: "" }) },
      },
      ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use" },
      usage: { output_tokens: 20, input_tokens: null, output_tokens_details: { thinking_tokens: 7 } },
    },
    { type: "message_stop" },
  ];
  const cut = body["model"] === "cut";
  const isLate = (type: string) => body["model"] === "slow" && type === "content_block_delta";
  return {
    events: (cut ? events.slice(0, 4) : events).map((data) => ({
      name: data.type,
      data,
      ...(isLate(data.type) ? { afterMs: FIRST_TOKEN_MS } : {}),
    })),
    broken: cut,
  };
}

function deltas(block: (typeof content)[number]): object[] {
  return block.type === "thinking"
    ? [{ type: "thinking_delta", thinking: block.thinking }]
    : block.type === "text"
      ? [{ type: "text_delta", text: block.text }]
      : [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
}
