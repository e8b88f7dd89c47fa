import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { observe, wrapLlmAdapter } from "./index.ts";
import { wrapOpenAI } from "./openai.ts";
import { sdkState } from "./client/sdk-state.ts";
import { createModelServer, type ModelRequest } from "#testing/model-server.ts";
import { expectTimeToFirstToken, FIRST_TOKEN_MS } from "#testing/first-token.ts";
import { recordEachTest } from "#testing/recording.ts";

const { recorded } = recordEachTest();

const usage = {
  prompt_tokens: 30,
  completion_tokens: 9,
  total_tokens: 39,
  prompt_tokens_details: { cached_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const toolCall = { id: "call-1", type: "function", function: { name: "search", arguments: '{"query":"cats"}' } };
const message = { role: "assistant", content: "Cats.", reasoning_content: "They purr.", tool_calls: [toolCall] };
const counted = { input_tokens: 30, output_tokens: 9, cache_read_tokens: 10, reasoning_tokens: 4, raw: usage };

let server: Awaited<ReturnType<typeof createModelServer>>;
let client: OpenAI;

beforeAll(async () => {
  server = await createModelServer(answer);
});
afterAll(() => server.stop());
beforeEach(() => {
  sdkState.capturePrompts = false;
  client = wrapOpenAI(new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "sk-secret-of-the-app", maxRetries: 0 }));
});

const ask = { model: "m-1", messages: [{ role: "user" as const, content: "cats or dogs?" }] };
const chunked = { ...ask, stream: true as const, stream_options: { include_usage: true } };

describe("A wrapped OpenAI client", () => {
  it("answers as before, and records model, tokens and tools, but no prompt until asked to", async () => {
    const completion = await client.chat.completions.create(ask);
    expect(completion.choices[0]?.message).toMatchObject({ content: "Cats." });
    const { traces, tree, find, events } = await recorded();
    expect(traces).toMatchObject([{ name: "openai.chat" }]);
    expect(tree).toEqual(["llm openai.chat < -"]);
    expect(find("openai.chat").start).toMatchObject({ model: "m-1" });
    expect(find("openai.chat").end).toMatchObject({
      status: "success",
      model: "m-1-2026",
      usage: counted,
      attributes: { finish_reasons: ["tool_calls"], tool_calls: ["search"] },
    });
    expect(JSON.stringify(events)).not.toMatch(/cats or dogs|Cats\.|purr|sk-secret/);
  });

  it("records prompts, answers and, apart, the reasoning once asked to", async () => {
    wrapLlmAdapter();
    await client.chat.completions.create(ask);
    const { find } = await recorded();
    expect(find("openai.chat").start).toMatchObject({ input: ask.messages });
    expect(find("openai.chat").end).toMatchObject({
      output: { content: "Cats.", tool_calls: [toolCall] },
      reasoning: { text: "They purr." },
    });
    expect(find("openai.chat").end["output"]).not.toHaveProperty("reasoning_content");
  });

  it("records a stream as the same call without it, and gives every chunk on", async () => {
    wrapLlmAdapter();
    const chunks: unknown[] = [];
    for await (const chunk of await client.chat.completions.create(chunked)) {
      chunks.push(chunk);
    }
    expect(chunks).toHaveLength(7);
    const { find } = await recorded();
    expect(find("openai.chat").end).toMatchObject({
      status: "success",
      model: "m-1-2026",
      usage: counted,
      output: { role: "assistant", content: "Cats.", tool_calls: [toolCall] },
      reasoning: { text: "They purr." },
      attributes: { finish_reasons: ["tool_calls"], first_chunk_ms: expect.any(Number) },
    });
  });

  it("records the client's own helpers once each, and leaves what they answer whole", async () => {
    const { data, response } = await client.chat.completions.create(ask).withResponse();
    expect([data.choices.length, response.status]).toEqual([1, 200]);
    expect((await client.chat.completions.parse(ask)).choices[0]?.message.content).toBe("Cats.");
    expect(await client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } }).finalContent()).toBe("Cats.");
    const [left, right] = (await client.chat.completions.create(chunked)).tee();
    const counts = await Promise.all([left, right].map(async (half) => (await readAll(half)).length));
    expect(counts).toEqual([7, 7]);
    const raw = await client.chat.completions.create(ask).asResponse();
    expect(await raw.json()).toMatchObject({ model: "m-1-2026" });
    await client.withOptions({ maxRetries: 1 }).chat.completions.create(ask);
    const { tree, ends } = await recorded();
    expect(tree).toEqual(Array.from({ length: 6 }, () => "llm openai.chat < -"));
    expect(ends.map((end) => end["status"])).toEqual(Array.from({ length: 6 }, () => "success"));
    const whole = { model: "m-1-2026", usage: counted, attributes: expect.objectContaining({ raw_response: true }) as unknown };
    expect(ends).toContainEqual(expect.objectContaining(whole));
  });

  it("says of a stream that the application reads itself what is not recorded of it", async () => {
    const raw = await client.responses.create({ model: "m-2", input: "cats?", stream: true }).asResponse();
    expect(await raw.text()).toContain("data:");
    expect((await recorded()).ends).toMatchObject([
      { status: "success", attributes: { raw_response: true, not_recorded: expect.stringMatching(/tokens and cost.*without asResponse/) } },
    ]);
  });

  it("records responses, streamed ones too, and embeddings", async () => {
    wrapLlmAdapter();
    const input = "cats or dogs?";
    expect((await client.responses.create({ model: "m-2", input })).output_text).toBe("Cats.");
    for await (const event of await client.responses.create({ model: "m-2", input, stream: true })) {
      expect(event.type).toMatch(/^response\./);
    }
    await client.embeddings.create({ model: "e-1", input: ["a", "b"] });
    const { ends, starts } = await recorded();
    const whole = {
      model: "m-2-2026",
      usage: { input_tokens: 20, output_tokens: 5, cache_read_tokens: 8, cache_write_tokens: 2, reasoning_tokens: 3 },
      reasoning: { text: "They purr." },
      output: [{ type: "message" }],
    };
    expect(starts[0]).toMatchObject({ input: [{ role: "user", content: input }] });
    expect(ends).toMatchObject([whole, whole, { model: "e-1", usage: { input_tokens: 4 }, attributes: { embeddings: 2 } }]);
  });

  it("says how long a stream took to its first content, also one that breaks, and nothing for a call that did not stream", async () => {
    await client.chat.completions.create(ask);
    await readAll(await client.chat.completions.create({ ...chunked, model: "slow" }));
    await readAll(await client.responses.create({ model: "slow", input: "cats or dogs?", stream: true }));
    await expect(readAll(await client.chat.completions.create({ ...chunked, model: "slow cut" }))).rejects.toThrow("terminated");
    const { ends } = await recorded();
    expect(ends).toHaveLength(4);
    expect(ends[0]).not.toHaveProperty("time_to_first_token_ms");
    ends.slice(1).forEach(expectTimeToFirstToken);
  });

  it("stands under what runs around it, and records failures, broken and abandoned streams as what they are", async () => {
    await observe({ name: "around" }, async () => {
      await expect(client.chat.completions.create({ ...ask, model: "broken" })).rejects.toThrow("500");
      await expect(readAll(await client.chat.completions.create({ ...chunked, model: "cut" }))).rejects.toThrow("terminated");
      for await (const chunk of await client.chat.completions.create(chunked)) {
        expect(chunk).toBeDefined();
        break;
      }
      const controller = new AbortController();
      controller.abort();
      await expect(client.chat.completions.create(ask, { signal: controller.signal })).rejects.toThrow("aborted");
    });
    const { tree, ends } = await recorded();
    expect(tree).toEqual(["span around < -", ...Array.from({ length: 4 }, () => "llm openai.chat < around")]);
    expect(ends.map((end) => end["status"])).toEqual(["failure", "failure", "interrupted", "interrupted", "success"]);
  });

  it("is as it was when nothing is recorded", async () => {
    const { publisher } = sdkState;
    sdkState.publisher = undefined;
    expect((await client.chat.completions.create(ask)).choices).toHaveLength(1);
    sdkState.publisher = publisher;
  });
});

async function readAll(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return chunks;
}

function answer({ path, body }: ModelRequest) {
  if (body["model"] === "broken") {
    return { status: 500, json: { error: { message: "overloaded" } } };
  }
  if (path === "/v1/embeddings") {
    const data = [1, 2].map((index) => ({ object: "embedding", index, embedding: [index] }));
    return { json: { object: "list", model: "e-1", data, usage: { prompt_tokens: 4, total_tokens: 4 } } };
  }
  if (path === "/v1/responses") {
    return body["stream"] === true
      ? {
          events: [
            { data: { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } } },
            ...(body["model"] === "slow" ? slowly([{ data: { type: "response.output_text.delta", delta: "Cats." } }]) : []),
            { data: { type: "response.completed", response } },
          ],
        }
      : { json: response };
  }
  return body["stream"] === true
    ? { events: eventsOfAnswer(String(body["model"])), broken: String(body["model"]).endsWith("cut") }
    : {
        json: {
          id: "c-1",
          object: "chat.completion",
          model: "m-1-2026",
          choices: [{ index: 0, message, finish_reason: "tool_calls" }],
          usage,
        },
      };
}

function eventsOfAnswer(model: string) {
  const [beginning, ...others] = chunksOfAnswer();
  const chunks = [...(beginning === undefined ? [] : [beginning]), ...(model.startsWith("slow") ? slowly(others) : others)];
  return model.endsWith("cut") ? chunks : [...chunks, { data: "[DONE]" }];
}

/** The first of them late, and its end as late again. */
function slowly(events: readonly { readonly data: unknown }[]) {
  const [first, ...others] = events;
  const data = { type: "response.in_progress", choices: [] };
  return [{ ...first, data: first?.data, afterMs: FIRST_TOKEN_MS }, ...others, { data, afterMs: FIRST_TOKEN_MS }];
}

const response = {
  id: "r-1",
  object: "response",
  status: "completed",
  model: "m-2-2026",
  output: [
    { type: "reasoning", id: "rs-1", summary: [{ type: "summary_text", text: "They purr." }] },
    {
      type: "message",
      id: "msg-1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Cats.", annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 25,
  },
};

function chunksOfAnswer() {
  const base = { id: "c-1", object: "chat.completion.chunk", model: "m-1-2026" };
  const delta = (given: object, reason: string | null = null) => ({
    data: { ...base, choices: [{ index: 0, delta: given, finish_reason: reason }] },
  });
  return [
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "They purr." }),
    delta({ content: "Cats" }),
    delta({ content: "." }),
    delta({ tool_calls: [{ index: 0, ...toolCall, function: { name: "search", arguments: '{"query":' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '"cats"}' } }] }, "tool_calls"),
    { data: { ...base, choices: [], usage } },
  ];
}
