import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, trace } from "#src/index.ts";
import { PROJECT_ID } from "./project.ts";

/**
 * This SDK as one of the libraries that `npm run bench:ingestion` compares; see `Library` in bench/ingestion/library.ts. `sink` is a
 * Redis, with stream and project as its query.
 */
export async function open(sink: string) {
  const { searchParams } = new URL(sink);
  const { ok, reason } = await initializeRedisPublisher({
    redisUrl: sink.replace(/\?.*/, ""),
    streamName: searchParams.get("stream") ?? "bench:events",
    projectId: searchParams.get("project") ?? PROJECT_ID,
  });
  if (!ok) {
    throw new Error(reason);
  }
  return {
    trace: <T>(work: () => T) => trace({ name: "bench" }, work),
    call: (messages: readonly unknown[], answer: string) => void observe({ name: "answer", kind: "llm", input: messages }, () => answer),
    /** A trace that a reader can tell from the others. */
    mark: (name: string) => trace({ name }, () => undefined),
    metrics: metricsText,
    close: closeRedisPublisher,
  };
}
