import type { Redis } from "@sightline/foundation/redis";
import { findPartitions } from "./find-partitions.ts";
import { partitionCountKey } from "./partitions.ts";

export type PartitionState = {
  /** How many partitions applications are told of. */
  readonly announced: number;
  /** Events on partitions beyond those that there are to be. */
  readonly beyond: number;
};

/** What Redis says of the partitions of a stream that is to have `count` of them. */
export async function findPartitionState(redis: Redis, stream: string, count: number): Promise<PartitionState> {
  const announced = Number((await redis.get(partitionCountKey(stream))) ?? 1);
  const beyond = (await findPartitions(redis, stream, count)).slice(count);
  const lengths = await Promise.all(beyond.map((partition) => redis.xlen(partition)));
  return { announced, beyond: lengths.reduce((sum, length) => sum + length, 0) };
}
