import { LATE, within } from "@sightline/foundation/deadline";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { redisServers, type Redis } from "@sightline/foundation/redis";
import { Gauge } from "prom-client";
import { readRedisState } from "./redis-state.ts";
import type { StreamState } from "#events/stream-state.ts";

type StreamMetricsOptions = {
  readonly metrics: Metrics;
  readonly redis: Redis;
  readonly stream: StreamState;
  readonly heartbeatKey: string;
};

const READ_MS = 2_000;

/** Registers metrics that are read from Redis at each scrape. While Redis does not answer they are NaN: unknown, which is not 0. */
export function registerStreamMetrics({ metrics: { registry }, redis, stream, heartbeatKey }: StreamMetricsOptions): void {
  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        async collect() {
          this.set(await withinTime(read));
        },
      }),
    );
  };
  gauge("studio_stream_length", "Events on the stream, over its partitions; they leave it when they are in the database.", stream.length);
  gauge("studio_stream_longest_partition", "Events on the fullest partition of the stream.", stream.longest);
  gauge("studio_consumer_lag_seconds", "Age of the oldest event on the stream.", stream.lagSeconds);
  gauge(
    "studio_redis_memory_bytes",
    "Memory that the stream's Redis uses; of a cluster the node that uses most.",
    async () => (await readRedisState(redisServers(redis))).memoryBytes,
  );
  gauge("studio_redis_noeviction", "1 while Redis never throws keys away, 0 when it may throw away the stream.", async () =>
    (await readRedisState(redisServers(redis))).policy === "noeviction" ? 1 : 0,
  );
  gauge("studio_consumer_heartbeat", "1 while a consumer's heartbeat is there, else 0.", () => redis.exists(heartbeatKey));
}

/** Age of the oldest event on the stream; NaN while Redis does not answer. */
export function readLagSeconds(stream: StreamState): Promise<number> {
  return withinTime(stream.lagSeconds);
}

async function withinTime(read: () => Promise<number>): Promise<number> {
  const value = await within(read, READ_MS).catch(() => LATE);
  return typeof value === "symbol" ? Number.NaN : value;
}
