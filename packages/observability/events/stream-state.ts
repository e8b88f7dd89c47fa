import { redisSeconds, type Redis } from "@sightline/foundation/redis";
import { findPartitions } from "./find-partitions.ts";

export type StreamState = {
  /** Events on all partitions. */
  readonly length: () => Promise<number>;
  /** Events on the fullest partition: each is trimmed by itself. */
  readonly longest: () => Promise<number>;
  /** Age in seconds of the oldest event on any partition; 0 when there is none. */
  readonly lagSeconds: () => Promise<number>;
};

type StateOptions = { readonly redis: Redis; readonly stream: string; /** Partitions that there are to be. */ readonly count: number };

const KNOWN_MS = 10_000;

/** Reads the stream over its partitions. Every reading throws when one of them can't be read: the others are not the whole. */
export function createStreamState({ redis, stream, count }: StateOptions): StreamState {
  let known: Promise<readonly string[]> | undefined;
  let knownAt = -Infinity;

  async function ofEach(read: (partition: string) => Promise<number>): Promise<readonly number[]> {
    if (known === undefined || performance.now() - knownAt > KNOWN_MS) {
      knownAt = performance.now();
      known = findPartitions(redis, stream, count);
      known.catch(() => {
        known = undefined;
      });
    }
    return Promise.all((await known).map(read));
  }

  const lengths = () => ofEach((partition) => redis.xlen(partition));
  return {
    length: async () => (await lengths()).reduce((sum, length) => sum + length, 0),
    longest: async () => Math.max(...(await lengths())),
    lagSeconds: async () => Math.max(...(await ofEach((partition) => lagOf(redis, partition)))),
  };
}

/** Entries leave the stream when they are processed, so the first one is the oldest undelivered or pending. Both times are the same server's. */
async function lagOf(redis: Redis, partition: string): Promise<number> {
  const [first] = await redis.xrange(partition, "-", "+", "COUNT", 1);
  return first === undefined ? 0 : Math.max((await redisSeconds(redis, partition)) - Number(first[0].split("-")[0]) / 1000, 0);
}
