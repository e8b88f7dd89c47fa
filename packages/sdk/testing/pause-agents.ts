import { Command, END, entrypoint, interrupt, MemorySaver, START, StateGraph, task, type BaseCheckpointSaver } from "@langchain/langgraph";
import { traceGraph } from "#src/langgraph.ts";
import { build, empty, inThread, mark, State, type GraphAgent } from "./graph-agent.ts";

/** Interrupts and their resumes. */
export const pauseAgents: readonly GraphAgent[] = [
  {
    name: "two interrupts in one node beside a node that is done, and their resumes",
    status: "success",
    taken: [
      "__start__ -static-> ask",
      "__start__ -static-> beside",
      "ask -conditional-> act",
      "beside -static-> after",
      "act -static-> __end__",
      "after -static-> __end__",
    ],
    run: async (traceName) => {
      const graph = askingGraph(traceName, new MemorySaver());
      const config = inThread();
      await graph.invoke(empty, config);
      await graph.invoke(new Command({ resume: "a" }), config);
      await graph.invoke(new Command({ resume: "b" }), config);
    },
  },
  {
    name: "an interrupt that nobody answered",
    status: "interrupted",
    taken: ["__start__ -static-> ask", "__start__ -static-> beside"],
    run: (traceName) => askingGraph(traceName, new MemorySaver()).invoke(empty, inThread()),
  },
  {
    name: "pauses before and after nodes",
    status: "success",
    taken: ["__start__ -static-> first", "first -conditional-> second", "second -static-> third", "third -static-> __end__"],
    run: async (traceName) => {
      const graph = build(traceName)
        .addNode("first", mark("first"))
        .addNode("second", mark("second"))
        .addNode("third", mark("third"))
        .addEdge(START, "first")
        .addConditionalEdges("first", () => "second", ["second", END])
        .addEdge("second", "third")
        .compile({ checkpointer: new MemorySaver(), interruptBefore: ["first", "second"], interruptAfter: ["second"] });
      const config = inThread();
      for (const input of [empty, null, null, null]) {
        await graph.invoke(input, config);
      }
    },
  },
  {
    name: "an interrupt in a subgraph",
    status: "success",
    taken: [
      "__start__ -static-> team",
      "team:__start__ -static-> team:think",
      "team:think -static-> team:ask",
      "team:ask -static-> team:__end__",
      "team -static-> after",
      "after -static-> __end__",
    ],
    run: async (traceName) => {
      const team = new StateGraph(State)
        .addNode("think", mark("think"))
        .addNode("ask", () => ({ seen: [String(interrupt("sure?"))] }))
        .addEdge(START, "think")
        .addEdge("think", "ask")
        .compile();
      const graph = build(traceName)
        .addNode("team", team)
        .addNode("after", mark("after"))
        .addEdge(START, "team")
        .addEdge("team", "after")
        .compile({ checkpointer: new MemorySaver() });
      const config = inThread();
      await graph.invoke(empty, config);
      await graph.invoke(new Command({ resume: "yes" }), config);
    },
  },
  {
    name: "tasks of the functional API, with an interrupt",
    status: "success",
    taken: ["__start__ -static-> flow", "flow -static-> __end__"],
    run: async (traceName) => {
      const double = task("double", (number: number) => Promise.resolve(number * 2));
      const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async (number: number) =>
        String(interrupt(await double(await double(number)))),
      );
      const traced = traceGraph(flow, { traceName });
      const config = inThread();
      await traced.invoke(3, config);
      await traced.invoke(new Command({ resume: "yes" }), config);
    },
  },
  {
    name: "a thread that goes on with another input",
    status: "success",
    traces: 2,
    taken: ["__start__ -static-> only", "only -static-> __end__"],
    run: async (traceName) => {
      const graph = build(traceName).addNode("only", mark("only")).addEdge(START, "only").compile({ checkpointer: new MemorySaver() });
      const config = inThread();
      await graph.invoke(empty, config);
      await graph.invoke(empty, config);
    },
  },
];

/** Asks twice in one node; beside it another node is done at once. */
export function askingGraph(traceName: string, checkpointer: BaseCheckpointSaver) {
  return build(traceName)
    .addNode("ask", () => ({ seen: [String(interrupt("first?")), String(interrupt("second?"))] }))
    .addNode("beside", mark("beside"))
    .addNode("act", mark("act"))
    .addNode("after", mark("after"))
    .addEdge(START, "ask")
    .addEdge(START, "beside")
    .addConditionalEdges("ask", () => "act", ["act", END])
    .addEdge("beside", "after")
    .compile({ checkpointer });
}
