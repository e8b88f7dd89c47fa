import type { Redis } from "@sightline/foundation/redis";
import { keyBeside } from "#events/partitions.ts";
import { nameOf, namesAround } from "./count-once.ts";
import type { ReadSpan } from "./read-spans.ts";

/** Spans of one trace that come in requests of their own come within so long. */
const KEPT_MS = 10 * 60 * 1000;

export type SpanMemory = ReturnType<typeof createSpanMemory>;

/** Knows for some minutes, in Redis and so for all replicas, what spans of one request say of those of others. */
export function createSpanMemory({ redis, stream }: { readonly redis: Redis; readonly stream: string }) {
  const keyOf = (what: string, projectId: string, name: string) => keyBeside(stream, `otlp:${what}:${projectId}:${name}`);

  return {
    /** Finds which of these spans are around calls of earlier requests that tell their own tokens, and remembers what the calls among them are in. */
    findAround: async (projectId: string, spans: readonly ReadSpan[]): Promise<ReadonlySet<string>> => {
      const present = new Set(spans.map(({ span }) => nameOf(span)));
      const calls = spans.filter(({ facts }) => facts.call?.usage !== undefined);
      const absent = namesAround(calls.filter(({ place }) => place !== "root")).filter((name) => !present.has(name));
      if (calls.length === 0) {
        return new Set();
      }
      const pipeline = redis.pipeline();
      for (const name of new Set(absent)) {
        pipeline.set(keyOf("around", projectId, name), "", "PX", KEPT_MS);
      }
      await pipeline.exec();
      const names = calls.map(({ span }) => nameOf(span));
      const found = await redis.mget(names.map((name) => keyOf("around", projectId, name)));
      return new Set(names.filter((_name, index) => found[index] !== null));
    },
  };
}
