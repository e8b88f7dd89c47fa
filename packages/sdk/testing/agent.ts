import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { createAgent } from "langchain";
import { createTracedGraph, traceGraph } from "#src/langgraph.ts";
import { ScriptedModel } from "./model.ts";

const search = tool(({ query }) => `found ${query}`, { name: "search", description: "", schema: z.object({ query: z.string() }) });
const broken = tool(
  () => {
    throw new Error("the tool broke");
  },
  { name: "broken", description: "", schema: z.object({ query: z.string() }) },
);

/** An agent whose model calls two tools, one of which fails, and then answers. */
export function toolAgent(traceName = "tool-agent") {
  const model = new ScriptedModel([
    new AIMessage({
      content: "",
      tool_calls: [
        { name: "search", args: { query: "cats", api_key: "secret-1" }, id: "call-1" },
        { name: "broken", args: { query: "dogs" }, id: "call-2" },
      ],
    }),
    Object.assign(
      new AIMessage({
        content: [
          { type: "thinking", thinking: "I have seen enough." },
          { type: "text", text: "Cats it is." },
        ],
      }),
      {
        usage_metadata: { input_tokens: 30, output_tokens: 5, total_tokens: 35, input_token_details: { cache_read: 10 } },
        response_metadata: { model_name: "scripted-1-2026", usage: { prompt_tokens: 30, completion_tokens: 5 } },
      },
    ),
  ]);
  return createTracedGraph(MessagesAnnotation, { traceName })
    .addNode("agent", async (state) => ({ messages: [await model.invoke(state.messages)] }))
    .addNode("tools", new ToolNode([search, broken]))
    .addEdge(START, "agent")
    .addConditionalEdges(
      "agent",
      function route(state) {
        const last = state.messages.at(-1);
        return last instanceof AIMessage && (last.tool_calls ?? []).length > 0 ? "act" : "done";
      },
      { act: "tools", done: END },
    )
    .addEdge("tools", "agent")
    .compile();
}

const weather = tool(({ city }) => `sun in ${city}`, { name: "weather", description: "", schema: z.object({ city: z.string() }) });

/** An agent that LangChain makes; its model asks one tool twice at once. */
export function prebuiltAgent(traceName: string) {
  const calls = ["Rome", "Oslo"].map((city) => ({ name: "weather", args: { city }, id: `call-${city}` }));
  const model = new ScriptedModel([new AIMessage({ content: "", tool_calls: calls }), new AIMessage("Rome.")]);
  return traceGraph(createAgent({ model, tools: [weather] }), { traceName });
}
