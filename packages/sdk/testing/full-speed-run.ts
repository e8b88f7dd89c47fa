/**
 * An application that publishes as fast as it can: `node full-speed-run.ts <events> [short or long]`, long ones until some were published or
 * ten seconds are over. Prints what became of them as JSON.
 */
import { setImmediate as turn } from "node:timers/promises";
import { Redis } from "ioredis";
import { closeRedisPublisher, initializeRedisPublisher, observe, trace } from "#src/index.ts";
import { sdkState } from "#src/client/sdk-state.ts";
import { STREAM } from "./faults.ts";
import { PROJECT_ID } from "./project.ts";
import { startPrivateRedis } from "./redis-server.ts";

const EVENTS = Number(process.argv[2]);
const BUFFER_BYTES = 8 * 1024 * 1024;
/** Each with a start and an end. */
const AT_ONCE = 100;
/** More than hello, and than a batch or two of long ones. */
const SOME = 20;
const PATIENCE_MS = 10_000;

const escaped: string[] = [];
process.on("unhandledRejection", (reason) => escaped.push(String(reason)));
process.on("uncaughtException", (error) => escaped.push(String(error)));

const INPUTS: Readonly<Record<string, readonly string[]>> = {
  short: ["what a step is given"],
  long: Array.from({ length: 50 }, () => "what a step is given ".repeat(50)),
};
const kind = process.argv[3] ?? "short";
const input = INPUTS[kind];

const server = await startPrivateRedis(["--appendonly", "no"]);
await initializeRedisPublisher({
  redisUrl: server.url,
  streamName: STREAM,
  projectId: PROJECT_ID,
  maxBufferBytes: BUFFER_BYTES,
  logger: { warn: () => undefined },
});
const { publisher, metrics } = sdkState;
const memoryBefore = process.memoryUsage.rss();
let [mostMemory, mostHeld] = [0, 0];
const startedAt = performance.now();
await trace({ name: "full speed" }, async () => {
  const isWaiting = () => kind === "long" && metrics.published <= SOME && performance.now() - startedAt < PATIENCE_MS;
  for (let index = 0; index < EVENTS / 2 || isWaiting(); index += 1) {
    observe({ name: "step", input: { index, input } }, () => index);
    if (index % AT_ONCE === 0) {
      mostHeld = Math.max(mostHeld, metrics.bufferedBytes());
      mostMemory = Math.max(mostMemory, process.memoryUsage.rss());
      await turn();
    }
  }
});
const publishedIn = performance.now() - startedAt;
const publishedMeanwhile = metrics.published;
await closeRedisPublisher();
const dropped = [...metrics.dropped.values()].reduce((sum, count) => sum + count, 0);

const client = new Redis(server.url, { protocol: 2 });
const report = {
  events: EVENTS,
  given: publisher?.lastSequence() ?? 0,
  published: metrics.published,
  publishedMeanwhile,
  dropped,
  arrived: Number(/entries-added,(\d+)/.exec(String(await client.xinfo("STREAM", STREAM)))?.[1]),
  length: await client.xlen(STREAM),
  perSecond: EVENTS / (publishedIn / 1000),
  mostHeld,
  bufferBytes: BUFFER_BYTES,
  memoryGrowth: mostMemory - memoryBefore,
  escaped,
};
client.disconnect();
await server.stop();
process.stdout.write(JSON.stringify(report));
