import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START } from "@langchain/langgraph";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { z } from "zod";
import type { CodeTools } from "./code-tools.ts";
import { ScriptedModel, type Turn } from "./scripted-model.ts";

type State = typeof MessagesAnnotation.State;

/** What the demo's model says: it searches, guesses a file wrongly, corrects itself with what the search found, and answers. */
const SCRIPT: readonly Turn[] = [
  () => ({
    reasoning: "The question is about what happens when a process ends. The code that starts processes should say it, so I search for it.",
    text: "I look for the code that restarts a process.",
    calls: [{ name: "search_code", arguments: { query: "restart a child process with a growing pause" } }],
  }),
  () => ({
    reasoning: "The search names some files. There may well be one with the restart policy alone; I guess its name and read it.",
    text: "I read the file that should hold the policy.",
    calls: [{ name: "read_file", arguments: { path: "restart-policy.ts" } }],
  }),
  (messages) => ({
    reasoning: "That file does not exist. I should take a path from the results instead of guessing one.",
    text: "That file does not exist; I read the first one the search found.",
    calls: [{ name: "read_file", arguments: { path: firstPath(messages) } }],
  }),
  (messages) => ({
    reasoning: `${firstPath(messages)} was the best match of all three legs of the search, and its text fits the question.`,
    text: `It is decided in ${firstPath(messages)}: the first restart comes at once, further ones in a row wait longer each time.`,
    calls: [],
  }),
];

/** Answers a question about the repository with a model, tools that really search it, and a way back from a failed tool. */
export async function runDemoAgent(tools: CodeTools): Promise<string> {
  const model = new ScriptedModel(SCRIPT);
  const toolbox = createToolbox(tools);

  async function think({ messages }: State) {
    return { messages: [await model.invoke(messages)] };
  }

  async function act({ messages }: State) {
    return { messages: await Promise.all(callsOf(messages).map((call) => callTool(toolbox, call))) };
  }

  function recover({ messages }: State) {
    return { messages: [new HumanMessage(`The tool failed: ${messages.at(-1)?.text ?? ""} Try another way.`)] };
  }

  const graph = createTracedGraph(MessagesAnnotation, { traceName: "demo agent" })
    .addNode("think", think)
    .addNode("act", act)
    .addNode("recover", recover)
    .addEdge(START, "think")
    .addConditionalEdges("think", ({ messages }) => (callsOf(messages).length > 0 ? "act" : END), ["act", END])
    .addConditionalEdges("act", ({ messages }) => (hasFailed(messages.at(-1)) ? "recover" : "think"), ["recover", "think"])
    .addEdge("recover", "think")
    .compile();

  const question = new HumanMessage("What happens when one of the product's processes ends, and where is it decided?");
  const { messages } = await graph.invoke({ messages: [question] });
  return messages.at(-1)?.text ?? "";
}

type ToolCall = NonNullable<AIMessage["tool_calls"]>[number];

type Toolbox = ReturnType<typeof createToolbox>;

function createToolbox({ search, readFile }: CodeTools) {
  return {
    search_code: tool(({ query }) => search(query), {
      name: "search_code",
      description: "Finds code by its meaning or by a name in it.",
      schema: z.object({ query: z.string() }),
    }),
    read_file: tool(({ path }) => readFile(path), {
      name: "read_file",
      description: "Reads a file of the indexed commit.",
      schema: z.object({ path: z.string() }),
    }),
  };
}

/** A tool that fails is something the model can act on, not the end of the run. */
async function callTool(toolbox: Toolbox, { name, args, id = "" }: ToolCall): Promise<ToolMessage> {
  try {
    const call = { type: "tool_call" as const, name, args, id };
    const content: unknown = await (name === "search_code" ? toolbox.search_code.invoke(call) : toolbox.read_file.invoke(call));
    return content instanceof ToolMessage ? content : new ToolMessage({ content: String(content), tool_call_id: id, name });
  } catch (error) {
    return new ToolMessage({ content: error instanceof Error ? error.message : String(error), tool_call_id: id, name, status: "error" });
  }
}

function callsOf(messages: readonly BaseMessage[]): readonly ToolCall[] {
  const last = messages.at(-1);
  return last instanceof AIMessage ? (last.tool_calls ?? []) : [];
}

function hasFailed(message: BaseMessage | undefined): boolean {
  return message instanceof ToolMessage && message.status === "error";
}

/** A line of the search's answer begins with `path:line`. */
function firstPath(messages: readonly BaseMessage[]): string {
  const found = messages.find((message) => message instanceof ToolMessage && message.name === "search_code");
  return /^(\S+):\d+/m.exec(found?.text ?? "")?.[1] ?? "README.md";
}
