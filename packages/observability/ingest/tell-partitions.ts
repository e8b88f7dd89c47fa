import type { Logger } from "@sightline/foundation/log";
import type { Redis } from "@sightline/foundation/redis";
import { partitionCountKey } from "#events/partitions.ts";

type TellOptions = { readonly redis: Redis; readonly stream: string; readonly count: number; readonly log: Logger };

/** Leaves in Redis how many partitions there are, where SDKs look when they start; of one it leaves nothing. */
export async function tellPartitions({ redis, stream, count, log }: TellOptions): Promise<void> {
  const key = partitionCountKey(stream);
  const announced = await redis.get(key);
  if (announced === (count === 1 ? null : String(count))) {
    return;
  }
  if (announced !== null) {
    log.warn(
      { now: count, before: announced },
      "OBSERVABILITY_STREAMS differs from what was told before; it must be alike for every role. All partitions are read in any case",
    );
  }
  await (count === 1 ? redis.del(key) : redis.set(key, String(count)));
}
