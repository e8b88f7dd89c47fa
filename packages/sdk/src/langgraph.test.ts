import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, interrupt, MemorySaver, MessagesAnnotation, Send, START } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { observe, traceTool, wrapLlmAdapter } from "./index.ts";
import { createTracedGraph } from "./langgraph.ts";
import { toolAgent } from "#testing/agent.ts";
import { recordEachTest } from "#testing/recording.ts";

const { recorded } = recordEachTest();

describe("A traced graph", () => {
  it("records one trace per run with nodes, tool calls and model calls under their exact parents", async () => {
    await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] }, { configurable: { thread_id: "thread-7" } });
    const { events, tree, traces, traceEnds, find, starts } = await recorded();
    expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => index + 1));
    expect(traces).toMatchObject([{ name: "tool-agent", thread_id: "thread-7" }]);
    expect(traceEnds).toMatchObject([{ status: "success", trace_id: traces[0]?.["trace_id"] }]);
    expect(tree).toEqual([
      "node agent < -",
      "llm ScriptedModel < agent",
      "node tools < -",
      "tool search < tools",
      "tool broken < tools",
      "node agent < -",
      "llm ScriptedModel < agent",
    ]);
    expect(new Set(starts.map((start) => start["trace_id"]))).toEqual(new Set([traces[0]?.["trace_id"]]));
    expect(find("agent").end).toMatchObject({ status: "success", attributes: { routes: [{ router: "route", to: ["tools"] }] } });
  });

  it("records a failed tool as a failure of the tool and not of its node", async () => {
    await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] });
    const { find, traceEnds } = await recorded();
    expect(find("search").end).toMatchObject({
      status: "success",
      tool_entry: { tool_name: "search", parameters: { query: "cats" }, result: "found cats", status: "success" },
    });
    expect(find("broken").end).toMatchObject({
      status: "failure",
      error: "Error: the tool broke",
      tool_entry: { tool_name: "broken", parameters: { query: "dogs" }, result: null, status: "failure" },
    });
    expect(find("tools").end).toMatchObject({ status: "success" });
    expect(traceEnds).toMatchObject([{ status: "success" }]);
  });

  it("records model, tokens and status of model calls, and prompts and reasoning only once asked to", async () => {
    await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] });
    wrapLlmAdapter();
    await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] });
    const { starts, endOf } = await recorded();
    const calls = starts.filter((start) => start["kind"] === "llm");
    const answers = calls.map(endOf);
    expect(calls.map((call) => call["model"])).toEqual(Array.from({ length: 4 }, () => "scripted-1"));
    const usage = { input_tokens: 30, output_tokens: 5, cache_read_tokens: 10, raw: { prompt_tokens: 30, completion_tokens: 5 } };
    expect(answers[1]).toMatchObject({ status: "success", model: "scripted-1-2026", usage });
    expect(calls[1]).not.toHaveProperty("input");
    expect(answers[1]).not.toHaveProperty("output");
    expect(answers[1]).not.toHaveProperty("reasoning");
    expect(calls[3]).toMatchObject({
      input: [{ type: "human", content: "cats or dogs?" }, { type: "ai" }, { type: "tool" }, { type: "tool" }],
    });
    expect(answers[3]).toMatchObject({
      usage,
      reasoning: { text: "I have seen enough.", truncated: false, original_chars: 19 },
    });
    expect(JSON.stringify(answers[3])).toContain("Cats it is.");
  });

  it("declares its nodes and edges once, and says where its nodes' code is", async () => {
    const graph = toolAgent();
    await graph.invoke({ messages: [new HumanMessage("one")] });
    await toolAgent().invoke({ messages: [new HumanMessage("two")] });
    const { graphs, find, traces } = await recorded();
    expect(graphs).toMatchObject([{ name: "tool-agent", nodes: ["__start__", "agent", "tools", "__end__"] }]);
    expect(graphs[0]?.["edges"]).toContainEqual({ from: "agent", to: "tools", conditional: true });
    expect(graphs[0]?.["edges"]).toContainEqual({ from: "tools", to: "agent", conditional: false });
    expect(traces[0]).toMatchObject({ attributes: { graph_hash: graphs[0]?.["graph_hash"] } });
    expect(find("agent").start).toMatchObject({
      code: {
        file: "packages/sdk/testing/agent.ts",
        line: expect.any(Number),
        function: "agent",
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    });
  });

  it("keeps parallel branches and sends apart", async () => {
    const State = Annotation.Root({ seen: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }) });
    const visit = (name: string) => async () =>
      await observe({ name: `work-${name}` }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { seen: [name] };
      });
    const graph = createTracedGraph(State, { traceName: "parallel" })
      .addNode("left", visit("left"))
      .addNode("right", visit("right"))
      .addNode("worker", (input: { seen: string[] }) =>
        traceTool({ name: "weigh", parameters: { of: input.seen } }, () => ({ seen: input.seen })),
      )
      .addEdge(START, "left")
      .addEdge(START, "right")
      .addConditionalEdges(
        "left",
        function fan() {
          return [new Send("worker", { seen: ["a"] }), new Send("worker", { seen: ["b"] })];
        },
        ["worker"],
      )
      .compile();
    expect((await graph.invoke({ seen: [] })).seen.toSorted()).toEqual(["a", "b", "left", "right"]);
    const { tree, find, traces } = await recorded();
    expect(traces).toHaveLength(1);
    expect(tree.toSorted()).toEqual([
      "node left < -",
      "node right < -",
      "node worker < -",
      "node worker < -",
      "span work-left < left",
      "span work-right < right",
      "tool weigh < worker",
      "tool weigh < worker",
    ]);
    expect(find("left").end).toMatchObject({ attributes: { routes: [{ router: "fan", to: ["worker", "worker"] }] } });
  });

  it("records an interrupt as interrupted, and the resumed run under the same thread", async () => {
    const graph = createTracedGraph(MessagesAnnotation, { traceName: "asking" })
      .addNode(
        "ask",
        () => {
          const answer: unknown = interrupt({ question: "sure?" });
          return new Command({ goto: "act", update: { messages: [new AIMessage(String(answer))] } });
        },
        { ends: ["act"] },
      )
      .addNode("act", () => ({}))
      .addEdge(START, "ask")
      .compile({ checkpointer: new MemorySaver(), interruptBefore: ["act"] });
    const config = { configurable: { thread_id: "thread-8" } };
    await graph.invoke({ messages: [new HumanMessage("go")] }, config);
    await graph.invoke(new Command({ resume: "yes" }), config);
    await graph.invoke(null, config);
    const { traces, traceEnds, starts, ends } = await recorded();
    expect(traces.map((start) => start["thread_id"])).toEqual(["thread-8", "thread-8", "thread-8"]);
    expect(traceEnds.map((end) => end["status"])).toEqual(["interrupted", "interrupted", "success"]);
    expect(starts.map((start) => start["name"])).toEqual(["ask", "ask", "act"]);
    expect(ends.map((end) => end["status"])).toEqual(["interrupted", "success", "success"]);
    expect(ends[0]).not.toHaveProperty("error");
    expect(ends[0]).toMatchObject({ attributes: { interrupts: [{ value: { question: "sure?" } }] } });
    expect(ends[1]).toMatchObject({ attributes: { goto: ["act"] } });
  });

  it("ends a stream's trace, also when the consumer leaves early", async () => {
    for await (const chunk of await toolAgent().stream({ messages: [new HumanMessage("all")] })) {
      expect(chunk).toBeDefined();
    }
    for await (const chunk of await toolAgent().stream({ messages: [new HumanMessage("one")] })) {
      expect(chunk).toBeDefined();
      break;
    }
    const { traceEnds } = await recorded();
    expect(traceEnds).toMatchObject([{ status: "success" }, { status: "interrupted", attributes: { cancelled: true } }]);
  });

  it("records a run that is aborted as interrupted, and one that timed out as failed", async () => {
    const graph = createTracedGraph(MessagesAnnotation, { traceName: "slow" })
      .addNode("wait", async (_state, config) => {
        await new Promise((resolve) => config.signal?.addEventListener("abort", resolve));
        return {};
      })
      .addEdge(START, "wait")
      .compile();
    await expect(graph.invoke({ messages: [] }, { signal: AbortSignal.timeout(20) })).rejects.toThrow("timeout");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(graph.invoke({ messages: [] }, { signal: controller.signal })).rejects.toThrow("aborted");
    const { traceEnds } = await recorded();
    expect(traceEnds).toMatchObject([
      { status: "failure", error: expect.stringContaining("TimeoutError") },
      { status: "interrupted", attributes: { cancelled: true } },
    ]);
  });

  it("records a failing node and throws the application's own error", async () => {
    const failure = new Error("no stock");
    const graph = createTracedGraph(MessagesAnnotation, { traceName: "failing" })
      .addNode("order", () => {
        throw failure;
      })
      .addEdge(START, "order")
      .compile();
    await expect(graph.invoke({ messages: [] })).rejects.toBe(failure);
    const { find, traceEnds } = await recorded();
    expect(find("order").end).toMatchObject({ status: "failure", error: "Error: no stock" });
    expect(traceEnds).toMatchObject([{ status: "failure", error: "Error: no stock" }]);
  });
});
