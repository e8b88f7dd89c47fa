import type { Redis } from "@sightline/foundation/redis";
import { findPartitions } from "#events/find-partitions.ts";
import { contentsVersionKey } from "#events/partitions.ts";

/** Longer than producers trust anything, so that they meet no version twice with another in between that they did not see. */
const KNOWN_MS = 60 * 60_000;

type TellOptions = { readonly redis: Redis; readonly stream: string; /** Partitions that there are to be. */ readonly count: number };

/** Leaves a version of a project's contents beside each partition, where its producers look: of one they have not seen, they send contents again. */
export function createTellProducers({ redis, stream, count }: TellOptions) {
  return async (projectId: string, version: string): Promise<void> => {
    // A producer on a partition that is not there has sent nothing that it could trust any more.
    const partitions = await findPartitions(redis, stream, count);
    await Promise.all(partitions.map((partition) => redis.set(contentsVersionKey(partition, projectId), version, "PX", KNOWN_MS)));
  };
}
