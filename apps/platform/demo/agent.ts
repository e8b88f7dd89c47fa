import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, GraphRecursionError, MessagesAnnotation, START } from "@langchain/langgraph";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { z } from "zod";
import { ScriptedModel, type Turn } from "./scripted-model.ts";
import type { HttpClient } from "./http-client.ts";

type State = typeof MessagesAnnotation.State;

/** The script of the demo's model: it searches, guesses a file wrongly, corrects itself with what the search found, and answers. */
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

/** The script of the experiments: it searches for the question, reads the best match and answers. */
const searching = (question: string): readonly Turn[] => [
  () => ({
    reasoning: "I search before I name a file.",
    text: "I search.",
    calls: [{ name: "search_code", arguments: { query: question } }],
  }),
  (messages) => ({
    reasoning: "The first result fits best.",
    text: `I read ${firstPath(messages)}.`,
    calls: [{ name: "read_file", arguments: { path: firstPath(messages) } }],
  }),
  (messages) => ({ reasoning: "Its text fits the question.", text: `It is decided in ${firstPath(messages)}.`, calls: [] }),
];

/** The script of the failing run: the model guesses one file after the other and never searches. */
const GUESSING: readonly Turn[] = ["restart-policy.ts", "policy/restart.ts", "restart.config.ts"].map((path) => () => ({
  reasoning: `A project like this one usually has a file called ${path}, so I read it right away.`,
  text: `I read ${path}.`,
  calls: [{ name: "read_file", arguments: { path } }],
}));

/** Two guesses of three steps each: the model, its tool, the way back. */
const STEPS_OF_GUESSES = 6;

const QUESTION = "What happens when one of the product's processes ends, and where is it decided?";
/** An experiment is not looked at while it runs. */
const QUICKLY_MS = 10;

/** Answers a question about the repository with a model, tools that really search it, and a way back from a failed tool. */
export async function runDemoAgent(tools: CodeTools): Promise<string> {
  const messages = await run(tools, { script: SCRIPT });
  return messages.at(-1)?.text ?? "";
}

/** Makes a run that fails, to be found and understood: the agent loops until LangGraph ends it. */
export async function runGuessingAgent(tools: CodeTools): Promise<void> {
  try {
    await run(tools, { script: GUESSING, recursionLimit: STEPS_OF_GUESSES });
  } catch (error) {
    if (!(error instanceof GraphRecursionError)) {
      throw error;
    }
  }
}

/** What an experiment runs: the agent as it is, or with a change that has it guess where a question asks for a place. @throws {Error} when it fails. */
export async function answerQuestion(tools: CodeTools, question: string, isChanged: boolean): Promise<string> {
  const isGuess = isChanged && /\bwhere\b/i.test(question);
  const how = isGuess ? { script: GUESSING, recursionLimit: STEPS_OF_GUESSES } : { script: searching(question) };
  return (await run(tools, { ...how, question, thinkingMs: QUICKLY_MS })).at(-1)?.text ?? "";
}

type Running = {
  readonly script: readonly Turn[];
  readonly question?: string;
  readonly recursionLimit?: number;
  readonly thinkingMs?: number;
};

async function run(
  tools: CodeTools,
  { script, question = QUESTION, recursionLimit, thinkingMs }: Running,
): Promise<readonly BaseMessage[]> {
  const model = new ScriptedModel(script, thinkingMs);
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

  const { messages } = await graph.invoke(
    { messages: [new HumanMessage(question)] },
    recursionLimit === undefined ? {} : { recursionLimit },
  );
  return messages;
}

export type CodeTools = ReturnType<typeof createCodeTools>;
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

const searchSchema = z.object({
  results: z.array(z.object({ path: z.string(), start_line: z.number(), end_line: z.number(), symbol: z.string().nullable() })),
});
const fileSchema = z.object({ content: z.string(), total_lines: z.number() });

const RESULTS = 5;
const LINES = 120;

/** The agent's tools, on the real code index. */
export function createCodeTools(codeIndex: HttpClient, repository: { readonly id: string; readonly fullName: string }) {
  return {
    /** Returns the best matches, a line each: `path:line symbol`. */
    search: async (query: string): Promise<string> => {
      const { results } = await codeIndex.post("/api/v1/search", { query, repo: repository.fullName, limit: RESULTS }, searchSchema);
      return results.map(({ path, start_line: line, symbol }) => `${path}:${line} ${symbol ?? ""}`.trim()).join("\n");
    },
    /** @throws {Error} when there is no such file. */
    readFile: async (path: string): Promise<string> => {
      const query = new URLSearchParams({ path, start: "1", end: String(LINES) });
      const { content } = await codeIndex.get(`/api/v1/repos/${repository.id}/file?${query.toString()}`, fileSchema);
      return content;
    },
  };
}
