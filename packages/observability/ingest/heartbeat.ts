import type { Clock } from "@sightline/foundation/clock";
import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Redis } from "@sightline/foundation/redis";
import type { Tuning } from "./tuning.ts";

type HeartbeatOptions = {
  readonly redis: Redis;
  readonly key: string;
  /** The content of the key beside the time. */
  readonly content: object;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tuning: Pick<Tuning, "heartbeatEveryMs" | "heartbeatLivesMs">;
};

/** Call it after every commit and every empty read, never otherwise: the key proves that events get through, not that a process runs. */
export function createHeartbeat({ redis, key, content, clock, log, tuning }: HeartbeatOptions): () => Promise<void> {
  let last = -Infinity;
  return async () => {
    const now = clock.now();
    if (now.getTime() - last < tuning.heartbeatEveryMs) {
      return;
    }
    try {
      await redis.set(key, JSON.stringify({ ...content, at: now.toISOString() }), "PX", tuning.heartbeatLivesMs);
      last = now.getTime();
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, "the heartbeat could not be written");
    }
  };
}
