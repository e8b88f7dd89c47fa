import { Command, END, START, StateGraph } from "@langchain/langgraph";
import { traceGraph } from "#src/langgraph.ts";
import { build, empty, mark, slowly, State, type GraphAgent, type Values } from "./graph-agent.ts";

/** Graphs inside graphs, and every way to stream them. */
export const nestedAgents: readonly GraphAgent[] = [
  {
    name: "subgraphs in subgraphs that are not traced themselves",
    status: "success",
    taken: [
      "__start__ -static-> outer",
      "outer -static-> after",
      "after -static-> __end__",
      "outer:__start__ -static-> outer:before",
      "outer:before -conditional-> outer:inner",
      "outer:inner -static-> outer:__end__",
      "outer:inner:__start__ -static-> outer:inner:a",
      "outer:inner:a -static-> outer:inner:b",
      "outer:inner:b -static-> outer:inner:__end__",
    ],
    run: (traceName) => {
      const inner = new StateGraph(State).addNode("a", slowly("a")).addNode("b", mark("b")).addEdge(START, "a").addEdge("a", "b").compile();
      const middle = new StateGraph(State)
        .addNode("before", mark("before"))
        .addNode("inner", inner)
        .addEdge(START, "before")
        .addConditionalEdges("before", () => "deeper", { deeper: "inner", out: END })
        .compile();
      return build(traceName)
        .addNode("outer", middle)
        .addNode("after", mark("after"))
        .addEdge(START, "outer")
        .addEdge("outer", "after")
        .compile()
        .invoke(empty);
    },
  },
  {
    name: "the same subgraph in two nodes at once, and one called in a function",
    status: "success",
    taken: [
      "__start__ -static-> one",
      "__start__ -static-> two",
      "one -static-> call",
      "two -static-> call",
      "call -static-> __end__",
      ...["one", "two"].flatMap((node) => [`${node}:__start__ -static-> ${node}:work`, `${node}:work -static-> ${node}:__end__`]),
      "call:__start__ -static-> call:work ×2",
      "call:work -static-> call:__end__ ×2",
    ],
    run: (traceName) => {
      const inner = new StateGraph(State).addNode("work", slowly("work")).addEdge(START, "work").compile();
      const traced = traceGraph(inner, { traceName: "called" });
      return build(traceName)
        .addNode("one", inner)
        .addNode("two", inner)
        .addNode("call", async () => {
          await traced.invoke(empty);
          await traced.invoke(empty);
          return {};
        })
        .addEdge(START, "one")
        .addEdge(START, "two")
        .addEdge("one", "call")
        .addEdge("two", "call")
        .compile()
        .invoke(empty);
    },
  },
  {
    name: "a Command to the graph around",
    status: "success",
    taken: [
      "__start__ -static-> team",
      "team:__start__ -static-> team:ask",
      "team:ask -static-> team:hand",
      "team:hand -goto-> other",
      "team -static-> always",
      "other -static-> __end__",
      "always -static-> __end__",
    ],
    run: (traceName) => {
      const team = new StateGraph(State)
        .addNode("ask", mark("ask"))
        .addNode("hand", () => new Command({ graph: Command.PARENT, goto: "other", update: { seen: ["hand"] } }))
        .addEdge(START, "ask")
        .addEdge("ask", "hand")
        .compile();
      return build(traceName)
        .addNode("team", team, { ends: ["other"] })
        .addNode("other", mark("other"))
        .addNode("always", mark("always"))
        .addEdge(START, "team")
        .addEdge("team", "always")
        .compile()
        .invoke(empty);
    },
  },
  ...(["values", "updates", "messages", "custom", "debug", "tasks"] as const).map((streamMode): GraphAgent => ({
    name: `streaming of ${streamMode}`,
    status: "success",
    taken: [
      "__start__ -static-> team",
      "team:__start__ -static-> team:work",
      "team:work -static-> team:__end__",
      "team -conditional-> last",
      "last -static-> __end__",
    ],
    run: async (traceName) => {
      const team = new StateGraph(State).addNode("work", slowly("work")).addEdge(START, "work").compile();
      const graph = build(traceName)
        .addNode("team", team)
        .addNode("last", (_state, config) => {
          config.writer?.("a word");
          return {};
        })
        .addEdge(START, "team")
        .addConditionalEdges("team", (state: Values) => (state.seen.length > 0 ? "last" : END))
        .compile();
      let chunks = 0;
      for await (const _chunk of await graph.stream(empty, { streamMode, subgraphs: true })) {
        chunks += 1;
      }
      return chunks;
    },
  })),
];
