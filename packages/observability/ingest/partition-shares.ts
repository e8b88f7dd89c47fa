import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Redis } from "@sightline/foundation/redis";
import { findPartitions } from "#events/find-partitions.ts";
import { endPartition } from "./end-partition.ts";
import { isGroupMissing } from "./event-stream.ts";

type SharesOptions = {
  readonly redis: Redis;
  readonly stream: string;
  /** How many partitions this process was told there are. */
  readonly count: number;
  readonly group: string;
  readonly consumer: string;
  /** A consumer that was not heard of for so long has no share. */
  readonly goneMs: number;
  /** A partition beyond the count to which nothing came for so long is over once it is empty. */
  readonly quietMs: number;
  readonly log: Logger;
};

export type Shares = {
  /** All partitions, also those beyond the count. */
  readonly all: readonly string[];
  /** The partitions that this consumer is to read. */
  readonly own: readonly string[];
};

/** No entry has such an id, so reading this consumer's entries after it finds nothing and says that the consumer lives. */
const AFTER_ALL = "18446744073709551614-0";

/**
 * Deals the partitions out to the consumers that live, by their names in the group of the first partition: nothing is kept beside
 * the group. It is a division of work and no lock. Redis gives each entry to one consumer however many read a partition, so two that
 * see different consumers for a while do no harm, and who can't see any reads all.
 */
export function createPartitionShares({
  redis,
  stream,
  count,
  group,
  consumer,
  goneMs,
  quietMs,
  log,
}: SharesOptions): () => Promise<Shares> {
  async function livingConsumers(): Promise<readonly string[]> {
    await redis.xreadgroup("GROUP", group, consumer, "COUNT", 1, "STREAMS", stream, AFTER_ALL);
    const rows = (await redis.xinfo("CONSUMERS", stream, group)) as (string | number)[][];
    const living = rows.flatMap((row) => {
      const valueOf = (field: string) => row[row.indexOf(field) + 1];
      return Number(valueOf("idle")) < goneMs ? [String(valueOf("name"))] : [];
    });
    return [...new Set([...living, consumer])].toSorted();
  }

  /** Partitions beyond the count were of producers that have ended: without an end each would be read by two connections for ever. */
  async function livingPartitions(): Promise<readonly string[]> {
    const all = await findPartitions(redis, stream, count);
    const beyond = all.slice(count);
    const isOver = await Promise.all(beyond.map((partition) => endPartition(redis, partition, quietMs)));
    return [...all.slice(0, count), ...beyond.filter((_partition, index) => isOver[index] !== true)];
  }

  return async () => {
    const all = await livingPartitions();
    if (all.length === 1) {
      return { all, own: all };
    }
    try {
      const living = await livingConsumers();
      // With more consumers than partitions some share one.
      const shares = Math.min(living.length, all.length);
      const share = living.indexOf(consumer) % shares;
      return { all, own: all.filter((_partition, index) => index % shares === share) };
    } catch (error) {
      if (!isGroupMissing(error)) {
        log.warn({ reason: errorMessage(error) }, "the other consumers can't be seen; reading every partition");
      }
      return { all, own: all };
    }
  };
}
