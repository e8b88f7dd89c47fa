/** What an application needs in its environment to send its traces to a project. */
export function environmentFor(projectId: string, hostname: string): string {
  return [`OBS_PROJECT_ID=${projectId}`, `OBS_REDIS_URL=redis://${hostname}:6380`].join("\n");
}

/** The same for an application that has an OpenTelemetry exporter already. */
export function exporterEnvironment(hostname: string): string {
  return ["OTEL_EXPORTER_OTLP_HEADERS=x-api-key=studio_…", `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://${hostname}:8000/v1/traces`].join(
    "\n",
  );
}

export const CODE = `import {
  closeRedisPublisher,
  initializeRedisPublisher,
  wrapLlmAdapter,
} from "@sightline/sdk";
import { createTracedGraph } from "@sightline/sdk/langgraph";

await initializeRedisPublisher(); // reads OBS_REDIS_URL and OBS_PROJECT_ID
wrapLlmAdapter(); // also records prompts and answers of models

const graph = createTracedGraph(State, { traceName: "my-agent" });
// … nodes and edges as with StateGraph, then at the end:
await closeRedisPublisher();`;
