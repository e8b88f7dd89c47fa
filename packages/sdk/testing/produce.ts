/**
 * An application that records traces until its input ends: `node produce.ts <redis url> <stream> <project> <traces a second>`. Prints how
 * many it recorded, and what its publisher says of them, as JSON.
 */
import { setTimeout as pause } from "node:timers/promises";
import { closeRedisPublisher, initializeRedisPublisher, observe, trace } from "#src/index.ts";
import { sdkState } from "#src/client/sdk-state.ts";

const [redisUrl = "", streamName = "", projectId = "", rate = "1"] = process.argv.slice(2);
await initializeRedisPublisher({ redisUrl, streamName, projectId, logger: { warn: () => undefined } });
const { publisher, metrics } = sdkState;
const ended = new AbortController();
process.stdin.resume().once("end", () => ended.abort());
let recorded = 0;
while (!ended.signal.aborted) {
  trace({ name: `trace ${recorded}`, input: { number: recorded } }, () => observe({ name: "step" }, () => recorded));
  recorded += 1;
  await pause(1000 / Number(rate));
}
const deadline = Date.now() + 60_000;
while (metrics.bufferedEvents() > 0 && Date.now() < deadline) {
  await pause(50);
}
await closeRedisPublisher();
const dropped = [...metrics.dropped.values()].reduce((sum, count) => sum + count, 0);
process.stdout.write(JSON.stringify({ producer: publisher?.producerId, recorded, last: publisher?.lastSequence(), dropped }));
