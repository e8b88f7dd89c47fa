import { HumanMessage } from "@langchain/core/messages";
import { Command, END, Send, START } from "@langchain/langgraph";
import { prebuiltAgent, toolAgent } from "./agent.ts";
import { build, empty, mark, slowly, type GraphAgent } from "./graph-agent.ts";

/** Edges, routers, Commands and Sends within one graph. */
export const routingAgents: readonly GraphAgent[] = [
  {
    name: "a loop by conditional edges",
    status: "success",
    taken: ["__start__ -static-> agent", "agent -conditional-> tools", "tools -static-> agent", "agent -conditional-> __end__"],
    run: (traceName) => toolAgent(traceName).invoke({ messages: [new HumanMessage("cats or dogs?")] }),
  },
  {
    name: "an agent made by createAgent",
    status: "success",
    taken: [
      "__start__ -static-> model_request",
      "model_request -send-> tools ×2",
      "tools -static-> model_request ×2",
      "model_request -conditional-> __end__",
    ],
    run: (traceName) => prebuiltAgent(traceName).invoke({ messages: [{ role: "user", content: "where is it warm?" }] }),
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
    name: "a join of nodes that have its sign in their names",
    status: "success",
    taken: ["__start__ -static-> a+b", "__start__ -static-> c", "a+b -join-> sum", "c -join-> sum", "sum -static-> __end__"],
    run: (traceName) =>
      build(traceName)
        .addNode("a+b", slowly("a+b"))
        .addNode("c", slowly("c"))
        .addNode("sum", mark("sum"))
        .addEdge(START, "a+b")
        .addEdge(START, "c")
        .addEdge(["a+b", "c"], "sum")
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
    name: "many tasks that are sent",
    status: "success",
    taken: ["__start__ -static-> plan", "plan -send-> worker ×60", "worker -static-> reduce ×60", "reduce -static-> __end__"],
    run: (traceName) =>
      build(traceName)
        .addNode("plan", () => new Command({ goto: Array.from({ length: 60 }, () => new Send("worker", { seen: [] })) }), {
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
];
