/**
 * Agents that are recorded, and replayed in another process without their models' server: `node replay-agents.ts record` and
 * `node replay-agents.ts replay <ids by name>`. Prints what each gave, and how often a tool ran.
 */
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, Send, START } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { z } from "zod";
import { EvaluationError, replay, type ReplayedAgent, type ReplayOptions } from "#src/evaluate.ts";
import { closeRedisPublisher, initializeRedisPublisher, traceTool, wrapLlmAdapter } from "#src/index.ts";
import { createTracedGraph, traceGraph } from "#src/langgraph.ts";
import { toolAgent } from "./agent.ts";
import { ScriptedModel } from "./model.ts";
import { clients, mask, openAIClient, PLAIN, small, world } from "./replay-plain-agents.ts";
import { serveModels } from "./served-answers.ts";

/** What a changed agent says beside. */
const changed: [string, string][] = [];

/** Answers by its script after it asked the server, with a client that nobody wraps. */
class ServedModel extends ScriptedModel {
  static override lc_name() {
    return "ServedModel";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    await openAIClient().chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] });
    return await super._generate(messages);
  }
}

class StreamedModel extends ServedModel {
  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    for (const { message, text } of (await this._generate(messages)).generations) {
      const { tool_calls: calls = [] } = message as AIMessage;
      yield new ChatGenerationChunk({ message: new AIMessageChunk({ content: message.content, tool_calls: calls }), text });
    }
  }
}

const called = (name: string, number: number, args: object) => ({
  name,
  args: { ...args },
  id: `call-${number}`,
  type: "tool_call" as const,
});
const asking = (...calls: ReturnType<typeof called>[]) => new AIMessage({ content: "", tool_calls: calls });

function textTool(name: string, run: (query: string) => unknown) {
  return tool(({ query }) => run(query), { name, description: "", schema: z.object({ query: z.string() }) });
}
const search = textTool("search", (query) => {
  world.runs += 1;
  return `found ${query}`;
});
const lookUp = textTool("look_up", async (query) => {
  world.runs += 1;
  await Promise.resolve();
  return { found: query };
});
const broken = textTool("broken", (query) => {
  world.runs += 1;
  throw new RangeError(`no ${query}`);
});
/** Says more than is kept. */
const long = textTool("long", (query) => query.repeat(100_000));

const SCRIPT = () => [
  asking(called("search", 1, { query: "cats" }), called("broken", 2, { query: "dogs" })),
  asking(called("search", 3, { query: "birds" })),
  new AIMessage("Cats it is."),
];

function graph(traceName: string, script = SCRIPT(), streams = false) {
  const model = streams ? new StreamedModel(script) : new ServedModel(script);
  return createTracedGraph(MessagesAnnotation, { traceName })
    .addNode("agent", async ({ messages }) => {
      const asked = [...messages, ...changed];
      if (!streams) {
        return { messages: [await model.invoke(asked)] };
      }
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(asked)) {
        whole = whole === undefined ? chunk : whole.concat(chunk);
      }
      return { messages: [whole as AIMessageChunk] };
    })
    .addNode("tools", new ToolNode([search, broken, long]))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) => ((messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END), ["tools", END])
    .addEdge("tools", "agent")
    .compile();
}

/** Three nodes at once, whose calls are of one path each, and come in any order. */
function fanOut(traceName: string) {
  const price = (city: string) =>
    traceTool({ name: "price", parameters: { city } }, async () => {
      world.runs += 1;
      return await Promise.resolve(city.length / 4);
    });
  return createTracedGraph(MessagesAnnotation, { traceName })
    .addNode("ask", async (state: unknown) => {
      const { city } = state as { city: string };
      return { messages: [new AIMessage(`${city} costs ${await price(city)}`)] };
    })
    .addConditionalEdges(START, () => ["Rome", "Oslo", "Bern"].map((city) => new Send("ask", { city })), ["ask"])
    .compile();
}

/** A tool that runs an agent, whose graph is to be seen in a replay, too. */
function innerAgent(traceName: string) {
  const inner = graph("inner", [asking(called("search", 1, { query: "cats" })), new AIMessage("Inner.")]);
  const delegate = textTool("delegate", async (query) => {
    const { messages } = await inner.invoke({ messages: [["user", query]] });
    return messages.at(-1)?.text;
  });
  const model = new ServedModel([asking(called("delegate", 1, { query: "cats" })), new AIMessage("Outer.")]);
  return traceGraph(createAgent({ model, tools: [delegate] }), { traceName });
}

function asyncAgent(traceName: string) {
  const calls = ["Rome", "Oslo"].map((query, number) => called("look_up", number, { query }));
  return traceGraph(createAgent({ model: new ServedModel([asking(...calls), new AIMessage("Rome.")]), tools: [lookUp] }), { traceName });
}

const QUESTION = { messages: [["user", "cats?"]] };
type Graph = { readonly invoke: (input: never) => Promise<unknown> };
const GRAPHS: Readonly<Record<string, (name: string) => Graph>> = {
  graph,
  streamed: (name) => graph(name, SCRIPT(), true),
  "fan out": fanOut,
  inner: innerAgent,
  async: asyncAgent,
  masked: toolAgent,
  cut: (name) => graph(name, [asking(called("long", 1, { query: "long" })), new AIMessage("Enough.")]),
};

async function record() {
  const server = await serveModels();
  world.url = server.url;
  const said: Record<string, unknown> = {};
  for (const [name, build] of Object.entries(GRAPHS)) {
    said[name] = tell(await build(name).invoke(QUESTION as never));
  }
  said["clients"] = await clients("clients");
  for (const [name, run] of Object.entries(PLAIN)) {
    said[name] = await run(name);
  }
  server.stop();
  return { said, runs: world.runs };
}

async function replayAll(ids: Readonly<Record<string, string>>) {
  const found: Record<string, unknown> = {};
  const once = async (key: string, name: string, agent: ReplayedAgent<never, unknown>, more: ReplayOptions<never> = {}) => {
    try {
      const { traceId, divergence, answered, live, isStopped, error, output } = await replay(
        ids[name] ?? "01900000-0000-7000-8000-000000000000",
        agent,
        more,
      );
      const said = error === undefined ? null : `${Reflect.get(Object(error), "name")}: ${Reflect.get(Object(error), "message")}`;
      const went = { divergence: divergence ?? null, answered, live, stopped: isStopped };
      found[key] = { trace_id: traceId, ...went, error: said, output: tell(output) };
    } catch (error) {
      if (!(error instanceof EvaluationError)) {
        throw error;
      }
      found[key] = { refused: error.message };
    }
  };
  for (const [name, build] of Object.entries(GRAPHS)) {
    await once(name, name, build(name));
  }
  await once("clients", "clients", () => clients("clients"));
  for (const [name, run] of Object.entries(PLAIN)) {
    await once(name, name, () => run(name));
  }
  await once("more", "small", () => small("small", true));
  const ran = world.runs;
  changed.push(["user", "and dogs?"]);
  await once("stopped", "graph", graph("graph"));
  const server = await serveModels();
  world.url = server.url;
  await once("live", "graph", graph("graph"), { onDivergence: "live" });
  server.stop();
  changed.length = 0;
  await once("shorter", "graph", (input: never) => graph("graph").invoke(input, { recursionLimit: 3 }));
  await once("nowhere", "nowhere", graph("graph"));
  await once("no key", "graph", graph("graph"), { apiKey: `studio_${"0".repeat(64)}` });
  return { found, runs: ran };
}

/** Messages as what they say. */
function tell(output: unknown): unknown {
  if (typeof output === "object" && output !== null && "messages" in output && Array.isArray(output.messages)) {
    return (output.messages as BaseMessage[]).map(({ type, content }) => [type, content]);
  }
  return output ?? null;
}

const { ok, reason } = await initializeRedisPublisher({ mask });
if (!ok) {
  throw new Error(reason);
}
wrapLlmAdapter();
const [way = "", ids = "{}"] = process.argv.slice(2);
const said = way === "record" ? await record() : await replayAll(JSON.parse(ids) as Record<string, string>);
await closeRedisPublisher();
process.stdout.write(JSON.stringify(said));
