/**
 * Runs the agents as an application would, in a process of its own:
 * `node run-graph-agents.ts <redis url> <stream> <project>`. Prints what is known of the runs.
 */
import { closeRedisPublisher, initializeRedisPublisher } from "#src/index.ts";
import { faultAgents } from "./fault-agents.ts";
import { nestedAgents } from "./nested-agents.ts";
import { pauseAgents } from "./pause-agents.ts";
import { routingAgents } from "./routing-agents.ts";

const ROUNDS = 2;

const [redisUrl = "", streamName = "", projectId = ""] = process.argv.slice(2);
const { ok, reason } = await initializeRedisPublisher({ redisUrl, streamName, projectId });
if (!ok) {
  throw new Error(reason);
}
const truths: object[] = [];
for (const { name, status, taken, traces = 1, run } of [...routingAgents, ...nestedAgents, ...faultAgents, ...pauseAgents]) {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const traceName = `${name} #${round}`;
    await run(traceName);
    truths.push({ name, traceName, status, taken, traces });
  }
}
await closeRedisPublisher();
process.stdout.write(JSON.stringify(truths));
