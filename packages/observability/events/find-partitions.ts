import { redisServers, type Redis } from "@sightline/foundation/redis";
import { MAX_PARTITIONS, partitionKeys } from "./partitions.ts";

/**
 * Finds the partitions to look at: the first `count`, which may have no events yet, and those beyond that exist. Producers that were
 * started with another number go on with theirs, so what is there counts and not what was set.
 */
export async function findPartitions(redis: Redis, stream: string, count: number): Promise<readonly string[]> {
  const keys = partitionKeys(stream, MAX_PARTITIONS);
  const known = keys.slice(0, count);
  const beyond = keys.slice(count);
  const [server, ...others] = redisServers(redis);
  // One server is asked for all at once: as a rule there are none.
  if (server === redis && others.length === 0 && beyond.length > 0 && (await redis.exists(...beyond)) === 0) {
    return known;
  }
  const found = await Promise.all(beyond.map(async (key) => (await redis.exists(key)) === 1));
  return [...known, ...beyond.filter((_key, index) => found[index])];
}
