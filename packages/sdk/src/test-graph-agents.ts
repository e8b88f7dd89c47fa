import { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph, type BaseCheckpointSaver } from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { createTracedGraph, traceGraph } from "./langgraph.ts";
import { toolAgent } from "./test-agent.ts";

/** An agent, how it is run, and what is known of its run because of how it is built. */
export type GraphAgent = {
  readonly name: string;
  readonly status: "success" | "failure" | "interrupted";
  /** `from -via-> to`, with ` ×n` when it was gone more than once. */
  readonly taken: readonly string[];
  /** Traces it makes; 1 unless said. */
  readonly traces?: number;
  readonly run: (traceName: string) => Promise<unknown>;
};

const State = Annotation.Root({
  seen: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
type Values = typeof State.State;

const empty = { seen: [] };
const mark = (name: string) => () => ({ seen: [name] });
/** Takes another time in every run, so that whoever looks at the clock gets another graph. */
const slowly = (name: string) => async () => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  return { seen: [name] };
};
const build = (traceName: string) => createTracedGraph(State, { traceName });
const inThread = () => ({ configurable: { thread_id: crypto.randomUUID() } });

export const graphAgents: readonly GraphAgent[] = [
  {
    name: "a loop by conditional edges",
    status: "success",
    taken: ["__start__ -static-> agent", "agent -conditional-> tools", "tools -static-> agent", "agent -conditional-> __end__"],
    run: (traceName) => toolAgent(traceName).invoke({ messages: [new HumanMessage("cats or dogs?")] }),
  },
  {
    name: "parallel branches that are joined",
    status: "success",
    taken: [
      "__start__ -static-> split",
      "split -static-> left",
      "split -static-> right",
      "left -join-> sum",
      "right -join-> sum",
      "sum -static-> __end__",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode("split", slowly("split"))
        .addNode("left", slowly("left"))
        .addNode("right", slowly("right"))
        .addNode("sum", mark("sum"))
        .addEdge(START, "split")
        .addEdge("split", "left")
        .addEdge("split", "right")
        .addEdge(["left", "right"], "sum")
        .addEdge("sum", END)
        .compile()
        .invoke(empty),
  },
  {
    name: "branches of unequal length that meet without a join",
    status: "success",
    taken: [
      "__start__ -static-> short",
      "__start__ -static-> long1",
      "long1 -static-> long2",
      "short -static-> meet",
      "long2 -static-> meet",
      "meet -static-> __end__ ×2",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode("short", slowly("short"))
        .addNode("long1", slowly("long1"))
        .addNode("long2", slowly("long2"))
        .addNode("meet", mark("meet"))
        .addEdge(START, "short")
        .addEdge(START, "long1")
        .addEdge("long1", "long2")
        .addEdge("short", "meet")
        .addEdge("long2", "meet")
        .compile()
        .invoke(empty),
  },
  {
    name: "a deferred node after branches of unequal length",
    status: "success",
    taken: [
      "__start__ -static-> short",
      "__start__ -static-> long1",
      "long1 -static-> long2",
      "short -static-> last",
      "long2 -static-> last",
      "last -static-> __end__",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode("short", slowly("short"))
        .addNode("long1", slowly("long1"))
        .addNode("long2", slowly("long2"))
        .addNode("last", mark("last"), { defer: true })
        .addEdge(START, "short")
        .addEdge(START, "long1")
        .addEdge("long1", "long2")
        .addEdge("short", "last")
        .addEdge("long2", "last")
        .addEdge("last", END)
        .compile()
        .invoke(empty),
  },
  {
    name: "tasks sent by two routers at once",
    status: "success",
    taken: [
      "__start__ -conditional-> odd",
      "__start__ -conditional-> even",
      "odd -send-> worker ×3",
      "even -send-> worker ×2",
      "even -send-> other",
      "worker -static-> reduce ×5",
      "other -static-> reduce",
      "reduce -static-> __end__",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode("odd", slowly("odd"))
        .addNode("even", slowly("even"))
        .addNode("worker", slowly("worker"))
        .addNode("other", slowly("other"))
        .addNode("reduce", mark("reduce"))
        .addConditionalEdges(START, () => ["odd", "even"], ["odd", "even"])
        .addConditionalEdges("odd", () => ["1", "3", "5"].map((seen) => new Send("worker", { seen: [seen] })), ["worker"])
        .addConditionalEdges("even", () => [
          new Send("worker", { seen: ["2"] }),
          new Send("other", { seen: ["x"] }),
          new Send("worker", { seen: ["4"] }),
        ])
        .addEdge("worker", "reduce")
        .addEdge("other", "reduce")
        .compile()
        .invoke(empty),
  },
  {
    name: "hundreds of tasks that are sent",
    status: "success",
    taken: ["__start__ -static-> plan", "plan -send-> worker ×300", "worker -static-> reduce ×300", "reduce -static-> __end__"],
    run: (traceName) =>
      build(traceName)
        .addNode("plan", () => new Command({ goto: Array.from({ length: 300 }, () => new Send("worker", { seen: [] })) }), {
          ends: ["worker"],
        })
        .addNode("worker", mark("worker"))
        .addNode("reduce", mark("reduce"))
        .addEdge(START, "plan")
        .addEdge("worker", "reduce")
        .compile()
        .invoke(empty),
  },
  {
    name: "Commands that say where to go, beside edges",
    status: "success",
    taken: [
      "__start__ -static-> choose",
      "choose -goto-> first",
      "choose -goto-> second",
      "choose -static-> always",
      "first -goto-> __end__",
      "second -static-> __end__",
      "always -static-> __end__",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode("choose", () => new Command({ goto: ["first", "second"], update: { seen: ["choose"] } }), {
          ends: ["first", "second", "third"],
        })
        .addNode("first", () => new Command({ goto: END, update: { seen: ["first"] } }), { ends: [END] })
        .addNode("second", slowly("second"))
        .addNode("third", mark("third"))
        .addNode("always", slowly("always"))
        .addEdge(START, "choose")
        .addEdge("choose", "always")
        .compile()
        .invoke(empty),
  },
  {
    name: "a Command as the input",
    status: "success",
    taken: ["__start__ -goto-> second", "second -static-> __end__"],
    run: (traceName) =>
      build(traceName)
        .addNode("first", mark("first"))
        .addNode("second", mark("second"))
        .addEdge(START, "first")
        .addEdge("first", "second")
        .compile()
        .invoke(new Command({ goto: "second", update: { seen: ["input"] } })),
  },
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
  {
    name: "a node that is tried three times",
    status: "success",
    taken: ["__start__ -static-> flaky", "flaky -conditional-> done", "done -static-> __end__"],
    run: (traceName) => {
      let attempts = 0;
      return build(traceName)
        .addNode(
          "flaky",
          () => {
            attempts += 1;
            if (attempts < 3) {
              throw new Error("not yet");
            }
            return { seen: ["flaky"] };
          },
          { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
        )
        .addNode("done", mark("done"))
        .addEdge(START, "flaky")
        .addConditionalEdges("flaky", () => "done", ["done", "flaky"])
        .compile()
        .invoke(empty);
    },
  },
  {
    name: "a node whose failure is handled",
    status: "success",
    taken: [
      "__start__ -static-> risky",
      "risky -error-> __error_handler__risky",
      "__error_handler__risky -goto-> saved",
      "saved -static-> __end__",
    ],
    run: (traceName) =>
      build(traceName)
        .addNode(
          "risky",
          () => {
            throw new Error("broken");
          },
          { errorHandler: () => new Command({ goto: "saved", update: { seen: ["handled"] } }) },
        )
        .addNode("saved", mark("saved"))
        .addNode("never", mark("never"))
        .addEdge(START, "risky")
        .addEdge("risky", "never")
        .compile()
        .invoke(empty),
  },
  {
    name: "a node that throws beside one that is done",
    status: "failure",
    taken: ["__start__ -static-> first", "first -static-> fails", "first -static-> works"],
    run: (traceName) =>
      build(traceName)
        .addNode("first", mark("first"))
        .addNode("fails", async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw new Error("broken");
        })
        .addNode("works", mark("works"))
        .addNode("never", mark("never"))
        .addEdge(START, "first")
        .addEdge("first", "fails")
        .addEdge("first", "works")
        .addEdge("works", "never")
        .addEdge("works", END)
        .compile()
        .invoke(empty)
        .catch(() => undefined),
  },
  {
    name: "a loop that reaches the recursion limit",
    status: "failure",
    taken: ["__start__ -static-> again", "again -conditional-> again ×3"],
    run: (traceName) =>
      build(traceName)
        .addNode("again", mark("again"))
        .addEdge(START, "again")
        .addConditionalEdges("again", () => "again", ["again"])
        .compile()
        .invoke(empty, { recursionLimit: 4 })
        .catch(() => undefined),
  },
  {
    name: "a run that is aborted",
    status: "interrupted",
    taken: ["__start__ -static-> quick", "quick -static-> stuck"],
    run: async (traceName) => {
      const controller = new AbortController();
      const graph = build(traceName)
        .addNode("quick", mark("quick"))
        .addNode("stuck", async (_state, config) => {
          setTimeout(() => controller.abort(), 1);
          await new Promise((resolve) => config.signal?.addEventListener("abort", resolve));
          return {};
        })
        .addNode("never", mark("never"))
        .addEdge(START, "quick")
        .addEdge("quick", "stuck")
        .addEdge("stuck", "never")
        .compile();
      await graph.invoke(empty, { signal: controller.signal }).catch(() => undefined);
    },
  },
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
