/**
 * Runs one leg of an agent that asks twice, in a process of its own; the checkpoints lie in a file:
 * `node run-resume.ts <redis url> <stream> <project> start|one|two <file>`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { Command, MemorySaver } from "@langchain/langgraph";
import { closeRedisPublisher, initializeRedisPublisher } from "#src/index.ts";
import { askingGraph } from "./pause-agents.ts";

const [redisUrl = "", streamName = "", projectId = "", leg = "", file = ""] = process.argv.slice(2);
const checkpoints = new MemorySaver();
if (existsSync(file)) {
  Object.assign(checkpoints, deserialize(readFileSync(file)));
}
await initializeRedisPublisher({ redisUrl, streamName, projectId });
const graph = askingGraph("asked in three processes", checkpoints);
await graph.invoke(leg === "start" ? { seen: [] } : new Command({ resume: leg }), { configurable: { thread_id: "thread-9" } });
await closeRedisPublisher();
const { storage, writes } = checkpoints;
writeFileSync(file, serialize({ storage, writes }));
