import { LATE, within } from "@sightline/foundation/deadline";
import type { Metrics } from "@sightline/foundation/http/metrics";
import type { Redis } from "@sightline/foundation/redis";
import { Gauge } from "prom-client";
import { readRedisState } from "./redis-state.ts";

type StreamMetricsOptions = {
  readonly metrics: Metrics;
  readonly redis: Redis;
  readonly stream: string;
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
  gauge("studio_stream_length", "Events on the stream; they leave it when they are in the database.", () => redis.xlen(stream));
  gauge("studio_consumer_lag_seconds", "Age of the oldest event on the stream.", () => lagOf(redis, stream));
  gauge("studio_redis_memory_bytes", "Memory that the stream's Redis uses.", async () => (await readRedisState(redis)).memoryBytes);
  gauge("studio_redis_noeviction", "1 while Redis never throws keys away, 0 when it may throw away the stream.", async () =>
    (await readRedisState(redis)).policy === "noeviction" ? 1 : 0,
  );
  gauge("studio_consumer_heartbeat", "1 while a consumer's heartbeat is there, else 0.", () => redis.exists(heartbeatKey));
}

/** Age of the oldest event on the stream; NaN while Redis does not answer. */
export function readLagSeconds(redis: Redis, stream: string): Promise<number> {
  return withinTime(() => lagOf(redis, stream));
}

/** Entries leave the stream when they are processed, so the first one is the oldest undelivered or pending. Both times are Redis' own. */
async function lagOf(redis: Redis, stream: string): Promise<number> {
  const [first] = await redis.xrange(stream, "-", "+", "COUNT", 1);
  if (first === undefined) {
    return 0;
  }
  const [seconds, microseconds] = await redis.time();
  const addedAt = Number(first[0].split("-")[0]) / 1000;
  return Math.max(Number(seconds) + Number(microseconds) / 1e6 - addedAt, 0);
}

async function withinTime(read: () => Promise<number>): Promise<number> {
  const value = await within(read, READ_MS).catch(() => LATE);
  return typeof value === "symbol" ? Number.NaN : value;
}
