/**
 * An application that records a trace for each line of its input, `{"user": …, "messages": […]}`: `node converse.ts <redis url> <stream>
 * <project>`. Prints the trace's id once all of it is on the stream.
 */
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { closeRedisPublisher, currentTrace, initializeRedisPublisher, observe, trace } from "#src/index.ts";
import { sdkState } from "#src/client/sdk-state.ts";

const [redisUrl = "", streamName = "", projectId = ""] = process.argv.slice(2);
await initializeRedisPublisher({ redisUrl, streamName, projectId });
for await (const line of createInterface({ input: process.stdin })) {
  const { user, messages } = JSON.parse(line) as { readonly user: string; readonly messages: readonly unknown[] };
  const id = trace({ name: "chat", userId: user, input: { messages } }, () => {
    observe({ name: "answer", input: { messages } }, () => "ok");
    return currentTrace()?.traceId;
  });
  while (sdkState.metrics.bufferedEvents() > 0) {
    await pause(10);
  }
  process.stdout.write(`${id}\n`);
}
await closeRedisPublisher();
