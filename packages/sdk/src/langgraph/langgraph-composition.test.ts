import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { trace } from "../index.ts";
import { createTracedGraph, traceGraph } from "../langgraph.ts";
import { recordEachTest } from "#testing/recording.ts";

const { recorded } = recordEachTest();

describe("Traced graphs and the application around them", () => {
  it("records traced graphs inside traced graphs and inside trace() as parts of one trace", async () => {
    const inner = createTracedGraph(MessagesAnnotation, { traceName: "inner" })
      .addNode("think", () => ({ messages: [new AIMessage("hm")] }))
      .addEdge(START, "think")
      .compile();
    const outer = createTracedGraph(MessagesAnnotation, { traceName: "outer" })
      .addNode("delegate", inner)
      .addEdge(START, "delegate")
      .compile();
    await trace({ name: "request", userId: "user-1" }, () => outer.invoke({ messages: [] }));
    const { traces, tree, graphs } = await recorded();
    expect(traces).toMatchObject([{ name: "request", user_id: "user-1" }]);
    expect(tree).toEqual(["graph outer < -", "node delegate < outer", "graph inner < delegate", "node think < inner"]);
    expect(graphs.map((graph) => graph["name"])).toEqual(["outer", "inner"]);
  });

  it("keeps an untraced graph inside a traced one free of the outer graph's facts, its interrupt included", async () => {
    const inner = new StateGraph(MessagesAnnotation)
      .addNode("ask", () => {
        interrupt("sure?");
        return {};
      })
      .addEdge(START, "ask")
      .compile();
    const outer = createTracedGraph(MessagesAnnotation, { traceName: "outer" })
      .addNode("delegate", inner)
      .addEdge(START, "delegate")
      .compile({ checkpointer: new MemorySaver() });
    await outer.invoke({ messages: [] }, { configurable: { thread_id: "t" } });
    const { tree, ends, find, traceEnds } = await recorded();
    expect(tree).toEqual(["node delegate < -", "graph LangGraph < delegate", "node ask < LangGraph"]);
    expect(ends.map((end) => end["status"])).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(traceEnds).toMatchObject([{ status: "interrupted" }]);
    expect(find("LangGraph").end["attributes"]).not.toHaveProperty("graph_hash");
  });

  it("records the tool entries of the agent's state, and flags those another node claims", async () => {
    const State = Annotation.Root({
      _tools_executed: Annotation<object[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
      _tools_executed_by: Annotation<string>,
    });
    const entry = {
      tool_name: "lookup",
      parameters: { id: 7 },
      result: { name: "Ada" },
      timestamp: "2026-01-02T03:04:05.678Z",
      status: "success",
    };
    const graph = createTracedGraph(State, { traceName: "plain-tools" })
      .addNode("honest", () => ({ _tools_executed: [entry], _tools_executed_by: "honest" }))
      .addNode("mistaken", () => ({
        _tools_executed: [{ ...entry, tool_name: "delete", status: "failure" }],
        _tools_executed_by: "honest",
      }))
      .addEdge(START, "honest")
      .addEdge("honest", "mistaken")
      .compile();
    await graph.invoke({});
    const { tree, find } = await recorded();
    expect(tree).toEqual(["node honest < -", "tool lookup < honest", "node mistaken < -", "tool delete < mistaken"]);
    expect(find("lookup")).toMatchObject({
      start: { started_at: entry.timestamp, attributes: { tools_executed_by: "honest" } },
      end: { status: "success", tool_entry: entry },
    });
    expect(find("lookup").start["attributes"]).not.toHaveProperty("tools_executed_by_mismatch");
    expect(find("delete")).toMatchObject({ start: { attributes: { tools_executed_by_mismatch: true } }, end: { status: "failure" } });
    expect(find("mistaken").end).toMatchObject({ attributes: { tools_executed_by_mismatch: true } });
  });

  it("is a real StateGraph, keeps the application's callbacks, and traces builders made by hand", async () => {
    const builder = createTracedGraph(MessagesAnnotation, { traceName: "typed" });
    expect(builder).toBeInstanceOf(StateGraph);
    const called: string[] = [];
    const Context = z.object({ tone: z.string() });
    const graph = traceGraph(new StateGraph(MessagesAnnotation, { context: Context }), { traceName: "by-hand" })
      .addNode("say", async (state, runtime) => {
        const model = new FakeListChatModel({ responses: [`in a ${runtime.context?.tone} tone`] });
        return { messages: [await model.invoke(state.messages)] };
      })
      .addEdge(START, "say")
      .compile({ name: "mine" });
    const callbacks = [{ handleChatModelStart: () => void called.push("model") }];
    const { messages } = await graph
      .withConfig({ tags: ["bound"] })
      .invoke({ messages: [new HumanMessage("?")] }, { context: { tone: "calm" }, callbacks });
    expect(messages.at(-1)?.content).toBe("in a calm tone");
    expect(graph.name).toBe("mine");
    expect(called).toEqual(["model"]);
    const { traces, tree } = await recorded();
    expect(traces).toMatchObject([{ name: "by-hand" }]);
    expect(tree).toEqual(["node say < -", "llm FakeListChatModel < say"]);
  });
});
