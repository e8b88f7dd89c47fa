import type { Intake } from "@sightline/observability/contract";

/** The stream that the SDK writes to when it is told of none. */
const DEFAULT_STREAM = "observability:events";

/** What an application needs in its environment to send its traces to a project. */
export function environmentFor(projectId: string, { redis_url, stream_name }: Intake): string {
  return [
    `OBS_PROJECT_ID=${projectId}`,
    `OBS_REDIS_URL=${redis_url}`,
    ...(stream_name === DEFAULT_STREAM ? [] : [`OBS_STREAM_NAME=${stream_name}`]),
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

/** The same for an application that has an OpenTelemetry exporter already. */
export function exporterEnvironment(otlpUrl: string): string {
  return ["OTEL_EXPORTER_OTLP_HEADERS=x-api-key=studio_…", `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${otlpUrl}`].join("\n");
}

/** How an agent in one language is set up: the command that installs the SDK from the console at `origin`, a program that runs as it is, and how. */
export type LanguageSetUp = {
  readonly install: (origin: string) => string;
  readonly file: string;
  readonly code: string;
  readonly run: string;
};

export const PYTHON: LanguageSetUp = {
  install: (origin) => `pip install ${origin}/sdk/sightline-sdk.tar.gz langgraph`,
  file: "agent.py",
  code: `import sightline
from langgraph.graph import START, MessagesState

sightline.initialize_redis_publisher().wait()  # reads the two variables
sightline.wrap_llm_adapter()  # also records prompts and answers of models

graph = sightline.create_traced_graph(MessagesState, trace_name="my-agent")
graph.add_node("answer", lambda state: {"messages": [("ai", "Hello!")]})
graph.add_edge(START, "answer")
graph.compile().invoke({"messages": [("human", "Hello?")]})

sightline.close_redis_publisher().wait()  # sends what is left`,
  run: "set -a; . ./.env; set +a; python agent.py",
};

export const TYPESCRIPT: LanguageSetUp = {
  install: (origin) => `npm install ${origin}/sdk/sightline-sdk.tgz @langchain/langgraph @langchain/core`,
  file: "agent.mjs",
  code: `import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { MessagesAnnotation, START } from "@langchain/langgraph";

await initializeRedisPublisher(); // reads OBS_REDIS_URL and OBS_PROJECT_ID
wrapLlmAdapter(); // also records prompts and answers of models

const agent = createTracedGraph(MessagesAnnotation, { traceName: "my-agent" })
  .addNode("answer", async () => ({ messages: [{ role: "assistant", content: "Hello!" }] }))
  .addEdge(START, "answer")
  .compile();
await agent.invoke({ messages: [{ role: "user", content: "Hello?" }] });

await closeRedisPublisher(); // sends what is left`,
  run: "node --env-file=.env agent.mjs",
};
