import { AsyncLocalStorage } from "node:async_hooks";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, trace } from "#src/index.ts";
import { PROJECT_ID } from "./project.ts";

const CALLS_OF_A_TRACE = 50;

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
  let calls = 0;
  let inTrace = AsyncLocalStorage.snapshot();
  return {
    call: (messages: readonly unknown[], answer: string) => {
      if (calls % CALLS_OF_A_TRACE === 0) {
        inTrace = trace({ name: "bench" }, () => AsyncLocalStorage.snapshot());
      }
      calls += 1;
      inTrace(() => observe({ name: "answer", kind: "llm", input: messages }, () => answer));
    },
    /** A trace that a reader can tell from the others. */
    mark: (name: string) => trace({ name }, () => undefined),
    metrics: metricsText,
    close: closeRedisPublisher,
  };
}
