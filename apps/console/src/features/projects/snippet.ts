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

/** The same for an application that has an OpenTelemetry exporter already. */
export function exporterEnvironment(otlpUrl: string): string {
  return ["OTEL_EXPORTER_OTLP_HEADERS=x-api-key=studio_…", `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${otlpUrl}`].join("\n");
}

/** The package is not in a registry: it is made where Sightline is, and installed where the agent is. */
export const INSTALL = `# in Sightline's folder
npm run build -w @sightline/sdk && npm pack ./packages/sdk/dist
# in your agent's
npm install /path/to/sightline-sdk-*.tgz @langchain/langgraph @langchain/core`;

export const CODE = `import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { createTracedGraph } from "@sightline/sdk/langgraph";
import { MessagesAnnotation, START } from "@langchain/langgraph";

await initializeRedisPublisher(); // reads OBS_REDIS_URL and OBS_PROJECT_ID
wrapLlmAdapter(); // also records prompts and answers of models

const agent = createTracedGraph(MessagesAnnotation, { traceName: "my-agent" })
  .addNode("answer", async () => ({ messages: [{ role: "assistant", content: "Hello!" }] }))
  .addEdge(START, "answer")
  .compile();
await agent.invoke({ messages: [{ role: "user", content: "Hello?" }] });

await closeRedisPublisher(); // sends what is left`;
