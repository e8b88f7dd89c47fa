/** `node evals.ts DATASET NAME`: evaluates the agent, and prints the experiment's id. */
import { END, START } from "@langchain/langgraph";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { evaluate } from "@sightline/sdk/evaluate";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { isEnough, judge } from "./judge.ts";
import { plan } from "./plan.ts";
import { search } from "./search.ts";
import { State, type Values } from "./state.ts";
import { write } from "./write.ts";

await initializeRedisPublisher();
wrapLlmAdapter();
const agent = createTracedGraph(State, { traceName: "research" })
  .addNode("plan", plan)
  .addNode("search", search)
  .addNode("judge", judge)
  .addNode("write", write)
  .addEdge(START, "plan")
  .addEdge("plan", "search")
  .addEdge("search", "judge")
  .addConditionalEdges("judge", isEnough, ["search", "write"])
  .addEdge("write", END)
  .compile();

/** Runs the agent and keeps the first sentence, which a change of wording leaves alone. */
async function run(given: unknown) {
  return (await agent.invoke(given as Values)).said.split(".")[0];
}

function right({ output, expected }: { readonly output?: unknown; readonly expected?: unknown }) {
  return output === expected;
}

const [, , dataset = "", name = ""] = process.argv;
const { experiment } = await evaluate({ task: run, dataset, evaluators: [right], name, repetitions: 2 });
console.log(experiment.id);
await closeRedisPublisher();
