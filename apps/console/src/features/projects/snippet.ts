/** What an application needs in its environment to send its traces to a project. */
export function environmentFor(projectId: string, hostname: string): string {
  return [`OBS_PROJECT_ID=${projectId}`, `OBS_REDIS_URL=redis://${hostname}:6380`].join("\n");
}

export const CODE = `import { closeRedisPublisher, createTracedGraph, initializeRedisPublisher } from "@sightline/sdk";

await initializeRedisPublisher({
  redisUrl: process.env.OBS_REDIS_URL,
  projectId: process.env.OBS_PROJECT_ID,
});

const graph = createTracedGraph(State, { traceName: "my-agent" });
// … nodes and edges as with StateGraph, then at the end:
await closeRedisPublisher();`;
