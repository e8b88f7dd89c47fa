/** A graph of LangGraph.js with a tool, a loop by conditional edges, and a memory of threads. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { END, MemorySaver, MessagesAnnotation, START } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { z } from "zod";

type State = typeof MessagesAnnotation.State;

const findOrder = tool(({ number }) => `order ${number} is on its way`, {
  name: "find_order",
  description: "Finds an order.",
  schema: z.object({ number: z.int() }),
});

// Any chat model of LangChain; this one follows a script, so that the example needs no key, and knows no tools.
const model = new FakeListChatModel({ responses: ["Your order is on its way."] });
const call = new AIMessage({ content: "", tool_calls: [{ name: "find_order", args: { number: 42 }, id: "call-1" }] });

const think = async ({ messages }: State) => ({ messages: [messages.length === 1 ? call : await model.invoke(messages)] });
const hasToolCalls = ({ messages }: State) => (((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "tools" : END);

await initializeRedisPublisher();
wrapLlmAdapter(); // also records prompts, answers and reasoning

const agent = createTracedGraph(MessagesAnnotation, { traceName: "support-agent" })
  .addNode("think", think)
  .addNode("tools", new ToolNode([findOrder]))
  .addEdge(START, "think")
  .addEdge("tools", "think")
  .addConditionalEdges("think", hasToolCalls, ["tools", END])
  .compile({ checkpointer: new MemorySaver() });

const { messages } = await agent.invoke(
  { messages: [new HumanMessage("Where is my order 42?")] },
  { configurable: { thread_id: "t-1" }, metadata: { user_id: "u-9" } },
);
console.log(messages.at(-1)?.text);

await closeRedisPublisher();
