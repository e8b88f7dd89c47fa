import { setTimeout as pause } from "node:timers/promises";
import { closeRedisPublisher, initializeRedisPublisher, observe, trace } from "#src/index.ts";

/**
 * An agent for `npm run bench:live-screen`: `node live-agent.ts <redis> <project> runs|steps <first> <last> <pause in ms>`.
 * Begins runs of these numbers one after the other, or one run with such steps once it is told to go on, and prints when it called
 * the SDK for each.
 */
const [redisUrl = "", projectId = "", what = "", first = "1", last = "0", everyMs = "0"] = process.argv.slice(2);
await initializeRedisPublisher({ redisUrl, projectId });

const calledAt: Record<string, number> = {};

async function repeat(prefix: string, call: (name: string) => Promise<unknown>): Promise<void> {
  for (let number = Number(first); number <= Number(last); number += 1) {
    const name = `${prefix}-${String(number).padStart(3, "0")}`;
    calledAt[name] = Date.now();
    await call(name);
  }
}

const work = () => pause(Number(everyMs));

if (what === "runs") {
  await repeat("run", (name) => trace({ name }, work));
} else {
  await trace({ name: "live-agent" }, async () => {
    await new Promise((toldToGoOn) => process.stdin.once("data", toldToGoOn));
    await repeat("step", (name) => observe({ name }, work));
  });
}
process.stdin.unref();
await closeRedisPublisher();
process.stdout.write(`${JSON.stringify(calledAt)}\n`);
