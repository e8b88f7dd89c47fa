import { tool } from "@langchain/core/tools";
import { Command, END, START } from "@langchain/langgraph";
import { z } from "zod";
import { build, empty, mark, type GraphAgent } from "./graph-agent.ts";

const findOrder = tool(
  () => {
    throw new Error("order 42 was not found");
  },
  { name: "find_order", description: "", schema: z.object({}) },
);

/** What is tried again, fails, is handled, runs too long or is aborted. */
export const faultAgents: readonly GraphAgent[] = [
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
    name: "a tool whose failure is caught, again and again, until the limit",
    status: "failure",
    taken: ["__start__ -static-> again", "again -conditional-> again"],
    run: (traceName) =>
      build(traceName)
        .addNode("again", async () => {
          await findOrder.invoke({}).catch(() => undefined);
          return { seen: ["again"] };
        })
        .addEdge(START, "again")
        .addConditionalEdges("again", () => "again", ["again"])
        .compile()
        .invoke(empty, { recursionLimit: 2 })
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
];
