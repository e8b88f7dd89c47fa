import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embed, generateText, isStepCount, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { traceAiSdk } from "./ai-sdk.ts";
import { observe, traceTool, wrapLlmAdapter } from "./index.ts";
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
const counted = { input_tokens: 30, output_tokens: 9, cache_read_tokens: 10, reasoning_tokens: 4, raw: usage };
const tools = {
  search: tool({
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }) => traceTool({ name: "inner", parameters: { query } }, () => `found ${query}`),
  }),
  broken: tool({
    inputSchema: z.object({ query: z.string() }),
    execute: (): string => {
      throw new Error("the tool broke");
    },
  }),
};

let server: Awaited<ReturnType<typeof createModelServer>>;
let ask: { model: ReturnType<ReturnType<typeof createOpenAICompatible>>; prompt: string; tools: typeof tools; maxRetries: number } & {
  stopWhen: ReturnType<typeof isStepCount>;
};
let provider: ReturnType<typeof createOpenAICompatible>;

beforeAll(async () => {
  traceAiSdk();
  traceAiSdk();
  server = await createModelServer(answer);
  provider = createOpenAICompatible({ name: "local", baseURL: `${server.url}/v1`, apiKey: "sk-secret-of-the-app", includeUsage: true });
  ask = { model: provider("m-1"), prompt: "cats or dogs?", tools, maxRetries: 0, stopWhen: isStepCount(3) };
});
afterAll(() => server.stop());
beforeEach(() => {
  sdkState.capturePrompts = false;
});

const TREE = [
  "span generateText < -",
  "llm local.chat < generateText",
  "tool search < generateText",
  "tool inner < search",
  "tool broken < generateText",
  "llm local.chat < generateText",
];

describe("The AI SDK, traced", () => {
  it("records an operation with model calls, tokens and tools in their places, but no prompt until asked to", async () => {
    expect((await generateText(ask)).text).toBe("Cats.");
    const { tree, traces, ends, find, events } = await recorded();
    expect(traces).toMatchObject([{ name: "generateText" }]);
    expect(tree.toSorted()).toEqual(TREE.toSorted());
    expect(find("local.chat")).toMatchObject({
      start: { model: "m-1" },
      end: { status: "success", model: "m-2026", usage: counted, attributes: { tool_calls: ["search", "broken"] } },
    });
    expect(find("search").end).toMatchObject({ tool_entry: { parameters: { query: "cats" }, result: "found cats", status: "success" } });
    expect(find("broken").end).toMatchObject({ status: "failure", error: "Error: the tool broke", tool_entry: { status: "failure" } });
    expect(ends).toHaveLength(TREE.length);
    expect(JSON.stringify(events)).not.toMatch(/cats or dogs|Cats\.|purr|sk-secret/);
  });

  it("records a stream as the same operation without it, tokens included", async () => {
    wrapLlmAdapter();
    expect(await streamText(ask).text).toBe("Cats.");
    const { tree, starts, endOf } = await recorded();
    expect(tree.toSorted()).toEqual(TREE.map((line) => line.replaceAll("generateText", "streamText")).toSorted());
    const calls = starts.filter((start) => start["kind"] === "llm");
    expect(calls[0]).toMatchObject({ input: [{ role: "user" }] });
    expect(calls.map(endOf)).toMatchObject([
      { status: "success", usage: counted, output: [{ type: "tool-call" }, { type: "tool-call" }] },
      { status: "success", usage: counted, output: [{ type: "text", text: "Cats." }], reasoning: { text: "They purr." } },
    ]);
  });

  it("says how long a stream took to its first content, and nothing for a call that did not stream", async () => {
    await generateText({ ...ask, model: provider("slow") });
    expect(await streamText({ ...ask, model: provider("slow") }).text).toBe("Cats.");
    const { starts, endOf } = await recorded();
    const times = starts.filter((start) => start["kind"] === "llm").map(endOf);
    expect(times).toHaveLength(4);
    times.slice(0, 2).forEach((end) => expect(end).not.toHaveProperty("time_to_first_token_ms"));
    times.slice(2).forEach(expectTimeToFirstToken);
  });

  it("stands under what runs around it, keeps out what was told to stay out, and records embeddings and failures", async () => {
    await observe({ name: "around" }, async () => {
      await generateText({ ...ask, telemetry: { isEnabled: false } });
      await embed({ model: provider.embeddingModel("e-1"), value: "a" });
      await expect(generateText({ ...ask, model: provider("broken") })).rejects.toThrow("no such model");
    });
    const { tree, find, ends } = await recorded();
    expect(tree.filter((line) => line.endsWith("< around"))).toEqual([
      "tool inner < around",
      "llm embed < around",
      "span generateText < around",
    ]);
    expect(find("embed").end).toMatchObject({ status: "success", usage: { input_tokens: 4 } });
    expect(ends.filter((end) => end["status"] === "failure")).toHaveLength(2);
  });

  it("is as it was when nothing is recorded", async () => {
    const { publisher } = sdkState;
    sdkState.publisher = undefined;
    expect((await generateText(ask)).text).toBe("Cats.");
    sdkState.publisher = publisher;
  });
});

function answer({ path, body }: ModelRequest) {
  if (body["model"] === "broken") {
    return { status: 400, json: { error: { message: "no such model" } } };
  }
  if (path.endsWith("/embeddings")) {
    return { json: { model: "e-1", data: [{ embedding: [1] }], usage: { prompt_tokens: 4 } } };
  }
  const first = !JSON.stringify(body["messages"]).includes('"role":"tool"');
  const calls = ["search", "broken"].map((name, index) => ({
    index,
    id: `call-${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify({ query: "cats" }) },
  }));
  const message = first
    ? { role: "assistant", content: null, tool_calls: calls }
    : { role: "assistant", content: "Cats.", reasoning_content: "They purr." };
  const base = { id: "c-1", model: "m-2026" };
  const reason = first ? "tool_calls" : "stop";
  const late = body["model"] === "slow" ? { afterMs: FIRST_TOKEN_MS } : {};
  return body["stream"] === true
    ? {
        events: [
          { data: { ...base, choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }] } },
          { data: { ...base, choices: [{ index: 0, delta: message, finish_reason: null }] }, ...late },
          { data: { ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage }, ...late },
          { data: "[DONE]" },
        ],
      }
    : { json: { ...base, choices: [{ index: 0, message, finish_reason: reason }], usage } };
}
