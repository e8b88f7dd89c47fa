import type { Intake } from "@sightline/observability/contract";

/** The stream that the SDK writes to when it is told of none. */
const DEFAULT_STREAM = "observability:events";

/** What an application needs in its environment to send its traces to a project, and to say where they are: in the console at `origin`. */
export function environmentFor(projectId: string, { redis_url, stream_name }: Intake, origin: string): string {
  return [
    `OBS_PROJECT_ID=${projectId}`,
    `OBS_REDIS_URL=${redis_url}`,
    ...(stream_name === DEFAULT_STREAM ? [] : [`OBS_STREAM_NAME=${stream_name}`]),
    `OBS_CONSOLE_URL=${origin}`,
  ].join("\n");
}

/** What the address of the Redis leaves to the reader. */
export function redisNotes({ redis_url }: Intake): readonly string[] {
  return [
    ...(/[/@](?:127\.0\.0\.1|localhost)[:/]/.test(`${redis_url}/`)
      ? [
          "127.0.0.1 is the machine that Sightline runs on. For agents elsewhere give it a Redis that they reach (OBSERVABILITY_REDIS_URL), or use an OpenTelemetry exporter.",
        ]
      : []),
    ...(redis_url.includes("…@") ? ["In the place of “…” goes the user and password of that Redis."] : []),
  ];
}

/** The same for an application that has an OpenTelemetry exporter already; without a key its place. */
export function exporterEnvironment(otlpUrl: string, key = "studio_…"): string {
  return [`OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${otlpUrl}`].join("\n");
}

/** How an agent in one language is set up: the command that installs the SDK from the console at `origin`, a program that runs as it is, and how. */
export type LanguageSetUp = {
  readonly install: (origin: string) => string;
  readonly file: string;
  readonly code: string;
  readonly run: string;
  /** The variable with a provider's key, where the program calls a model. */
  readonly providerKey: string | undefined;
};

const PYTHON: LanguageSetUp = {
  install: (origin) => `pip install ${origin}/sdk/sightline-sdk.tar.gz langgraph`,
  file: "agent.py",
  code: `import sightline
from langgraph.graph import START, MessagesState

sightline.initialize_redis_publisher().wait()  # reads these variables
sightline.wrap_llm_adapter()  # also records prompts and answers of models

graph = sightline.create_traced_graph(MessagesState, trace_name="my-agent")
graph.add_node("answer", lambda state: {"messages": [("ai", "Hello!")]})
graph.add_edge(START, "answer")
graph.compile().invoke({"messages": [("human", "Hello?")]})

sightline.close_redis_publisher().wait()  # sends what is left`,
  run: "set -a; . ./.env; set +a; python agent.py",
  providerKey: undefined,
};

/** A program in TypeScript: what of ours and of others it imports, what it does between start and end, and by which provider's key. */
function inTypeScript(packages: string, imports: string, work: string, providerKey?: string): LanguageSetUp {
  return {
    install: (origin) => `npm install ${origin}/sdk/sightline-sdk.tgz ${packages}`.trimEnd(),
    file: "agent.mjs",
    code: `import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
${imports}

await initializeRedisPublisher(); // reads OBS_REDIS_URL, OBS_PROJECT_ID and OBS_CONSOLE_URL
wrapLlmAdapter(); // also records prompts and answers of models

${work}

await closeRedisPublisher(); // sends what is left`,
    run: "node --env-file=.env agent.mjs",
    providerKey,
  };
}

/** By what the agent is made with. */
export const SET_UPS: readonly { readonly id: string; readonly label: string; readonly setUp: LanguageSetUp }[] = [
  {
    id: "langgraph",
    label: "LangGraph",
    setUp: inTypeScript(
      "@langchain/langgraph @langchain/core",
      `import { createTracedGraph } from "@sightline/sdk/langgraph";
import { MessagesAnnotation, START } from "@langchain/langgraph";`,
      `const agent = createTracedGraph(MessagesAnnotation, { traceName: "my-agent" })
  .addNode("answer", async () => ({ messages: [{ role: "assistant", content: "Hello!" }] }))
  .addEdge(START, "answer")
  .compile();
await agent.invoke({ messages: [{ role: "user", content: "Hello?" }] });`,
    ),
  },
  {
    id: "langchain",
    label: "LangChain",
    setUp: inTypeScript(
      "@langchain/core @langchain/openai",
      `import { createCallbackHandler } from "@sightline/sdk/langchain";
import { ChatOpenAI } from "@langchain/openai";`,
      `const model = new ChatOpenAI({ model: "gpt-5-mini" });
await model.invoke("Hello?", { callbacks: [createCallbackHandler({ traceName: "my-agent" })] });`,
      "OPENAI_API_KEY",
    ),
  },
  {
    id: "openai",
    label: "OpenAI",
    setUp: inTypeScript(
      "openai",
      `import { wrapOpenAI } from "@sightline/sdk/openai";
import OpenAI from "openai";`,
      `const openai = wrapOpenAI(new OpenAI());
await openai.chat.completions.create({ model: "gpt-5-mini", messages: [{ role: "user", content: "Hello?" }] });`,
      "OPENAI_API_KEY",
    ),
  },
  {
    id: "anthropic",
    label: "Anthropic",
    setUp: inTypeScript(
      "@anthropic-ai/sdk",
      `import { wrapAnthropic } from "@sightline/sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";`,
      `const anthropic = wrapAnthropic(new Anthropic());
await anthropic.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages: [{ role: "user", content: "Hello?" }] });`,
      "ANTHROPIC_API_KEY",
    ),
  },
  {
    id: "ai-sdk",
    label: "AI SDK",
    setUp: inTypeScript(
      "ai @ai-sdk/openai",
      `import { traceAiSdk } from "@sightline/sdk/ai-sdk";
import { openai } from "@ai-sdk/openai";
import { generateText } from "ai";`,
      `traceAiSdk();
await generateText({ model: openai("gpt-5-mini"), prompt: "Hello?" });`,
      "OPENAI_API_KEY",
    ),
  },
  {
    id: "plain",
    label: "Plain",
    setUp: inTypeScript(
      "",
      `import { observe, trace } from "@sightline/sdk";`,
      `const orders = () => observe({ name: "find orders", kind: "retriever", input: { customer: 7 } }, async () => ["A-1"]);
await trace({ name: "my-agent", input: "Hello?" }, async () => \`Hello! \${(await orders()).length} order\`);`,
    ),
  },
  { id: "python", label: "Python", setUp: PYTHON },
];
