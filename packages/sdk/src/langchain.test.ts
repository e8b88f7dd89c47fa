import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel, FakeRetriever } from "@langchain/core/utils/testing";
import { tool } from "@langchain/core/tools";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { observe, wrapLlmAdapter } from "./index.ts";
import { createCallbackHandler } from "./langchain.ts";
import { createTracedGraph } from "./langgraph.ts";
import { expectTimeToFirstToken, FIRST_TOKEN_MS } from "#testing/first-token.ts";
import { createModelServer } from "#testing/model-server.ts";
import { recordEachTest } from "#testing/recording.ts";
import { StreamingModel } from "#testing/streaming-model.ts";

const { recorded } = recordEachTest();

const model = new FakeListChatModel({ responses: ["Cats."] });
const search = tool(({ query }) => `found ${query}`, { name: "search", description: "", schema: z.object({ query: z.string() }) });

/** Makes LangChain report every handler's streams as events instead of tokens. */
class PrefersStreamEvents extends BaseCallbackHandler {
  override name = "prefers-stream-events";
  lc_prefer_chat_model_stream_events = true;
}

describe("LangChain's callbacks", () => {
  it("record a chain as a trace with its steps, models, retrievers and tools", async () => {
    const chain = RunnableLambda.from((question: string) => [new HumanMessage(question)])
      .pipe(model)
      .pipe(
        RunnableLambda.from(async (_message, config) => {
          await new FakeRetriever().invoke("cats", config);
          return await search.invoke({ query: "cats" }, config);
        }).withConfig({ runName: "look" }),
      );
    const callbacks = [createCallbackHandler({ traceName: "summary" })];
    expect(await chain.invoke("cats or dogs?", { callbacks, metadata: { session_id: "s-1", thread_id: "t-1" } })).toBe("found cats");
    const { traces, traceEnds, tree } = await recorded();
    expect(traces).toMatchObject([{ name: "summary", session_id: "s-1", thread_id: "t-1" }]);
    expect(traceEnds).toMatchObject([{ status: "success", output: expect.anything() }]);
    expect(tree).toEqual([
      "span RunnableLambda < -",
      "llm FakeListChatModel < -",
      "span look < -",
      "retriever FakeRetriever < look",
      "tool search < look",
    ]);
  });

  it("record a model and a tool that nothing runs around as traces of one call, without prompts until asked to", async () => {
    const callbacks = [createCallbackHandler()];
    await model.invoke("a secret question", { callbacks });
    await search.invoke({ query: "cats" }, { callbacks });
    const before = await recorded();
    expect(before.traces.map((trace) => trace["name"])).toEqual(["FakeListChatModel", "search"]);
    expect(before.tree).toEqual(["llm FakeListChatModel < -", "tool search < -"]);
    expect(before.traceEnds).toMatchObject([{ status: "success" }, { status: "success" }]);
    expect(JSON.stringify(before.events)).not.toContain("a secret question");
  });

  it("record failures, streams and what runs inside an observation", async () => {
    wrapLlmAdapter();
    const callbacks = [createCallbackHandler()];
    await observe({ name: "around" }, async () => {
      for await (const chunk of await model.stream("cats?", { callbacks })) {
        expect(chunk).toBeDefined();
      }
      const failing = RunnableLambda.from(() => {
        throw new Error("no stock");
      }).withConfig({ runName: "order" });
      await expect(failing.invoke("x", { callbacks })).rejects.toThrow("no stock");
    });
    const { tree, ends, traces } = await recorded();
    expect(traces).toHaveLength(1);
    expect(tree).toEqual(["span around < -", "llm FakeListChatModel < around", "span order < around"]);
    expect(ends.map((end) => end["status"])).toEqual(["success", "failure", "success"]);
    expect(ends[1]).toMatchObject({ error: "Error: no stock" });
  });

  it("say how long a stream took to its first content, however it is streamed, and nothing for a call that did not stream", async () => {
    const server = await createModelServer(({ body }) => {
      const chunk = (content: string, afterMs?: number) => ({
        data: { id: "c-1", choices: [{ index: 0, delta: { role: "assistant", content } }] },
        ...(afterMs === undefined ? {} : { afterMs }),
      });
      return body["stream"] === true
        ? { events: [chunk(""), chunk("Cats", FIRST_TOKEN_MS), chunk(".", FIRST_TOKEN_MS), { data: "[DONE]" }] }
        : { json: { id: "c-1", choices: [{ index: 0, message: { role: "assistant", content: "Cats." } }] } };
    });
    const streamed = new StreamingModel(new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "sk-test", maxRetries: 0 }), "m-1");
    const callbacks = [createCallbackHandler()];
    expect((await streamed.invoke("cats?", { callbacks })).text).toBe("Cats.");
    let text = "";
    for await (const piece of await streamed.stream("cats?", { callbacks })) {
      text += piece.text;
    }
    const graph = createTracedGraph(MessagesAnnotation, { traceName: "streamed" })
      .addNode("say", async (state) => ({ messages: [await streamed.invoke(state.messages)] }))
      .addEdge(START, "say")
      .compile();
    for await (const [piece] of await graph.stream({ messages: [new HumanMessage("cats?")] }, { streamMode: "messages" })) {
      text += piece.text;
    }
    const answer = await streamed.invoke("cats?", { callbacks: [...callbacks, new PrefersStreamEvents()] });
    server.stop();
    expect([text, answer.text]).toEqual(["Cats.Cats.", "Cats."]);
    const { starts, endOf } = await recorded();
    const [whole, ...streams] = starts.filter((start) => start["kind"] === "llm").map(endOf);
    expect(whole).not.toHaveProperty("time_to_first_token_ms");
    expect(streams).toHaveLength(3);
    streams.forEach(expectTimeToFirstToken);
  });

  it("say no time to the first token of an answer from LangChain's cache", async () => {
    const cached = new FakeListChatModel({ responses: ["Cats."], cache: true });
    for (let turn = 0; turn < 2; turn += 1) {
      await cached.invoke("cats from the cache?", { callbacks: [createCallbackHandler()] });
    }
    const { ends } = await recorded();
    expect(ends).toHaveLength(2);
    ends.forEach((end) => expect(end).not.toHaveProperty("time_to_first_token_ms"));
  });

  it("leave traced graphs as they are, and record untraced ones with their nodes", async () => {
    const State = Annotation.Root({ text: Annotation<string> });
    const callbacks = [createCallbackHandler()];
    await createTracedGraph(State, { traceName: "traced" })
      .addNode("say", () => ({ text: "a" }))
      .addEdge(START, "say")
      .compile()
      .invoke({ text: "" }, { callbacks });
    await new StateGraph(State)
      .addNode("tell", () => ({ text: "b" }))
      .addEdge(START, "tell")
      .compile({ name: "untraced" })
      .invoke({ text: "" }, { callbacks });
    const { traces, tree, events } = await recorded();
    expect(traces.map((trace) => trace["name"])).toEqual(["traced", "untraced"]);
    expect(tree).toEqual(["node say < -", "node tell < -"]);
    expect(events.filter(({ type }) => type === "graph.enter")).toMatchObject([{ body: { graph_hash: expect.any(String) } }]);
  });
});
