import { randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { errorMessage } from "@sightline/foundation/errors";
import type { Check } from "@sightline/foundation/health";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { createRedis } from "@sightline/foundation/redis";
import { createAlarm } from "@sightline/foundation/repeat";
import { createSemaphore } from "@sightline/foundation/semaphore";
import type { ObservabilityConfig } from "#config.ts";
import { partitionKeys } from "#events/partitions.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createAnnouncer, type Announce } from "./announce.ts";
import { createConsumerMetrics } from "./consumer-metrics.ts";
import { createEventStream, isGroupMissing, type EventStream } from "./event-stream.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createPartitionReaders } from "./partition-readers.ts";
import { createPartitionShares, type Shares } from "./partition-shares.ts";
import { createRetryPause } from "./retry-pause.ts";
import { createStreamTasks } from "./stream-tasks.ts";
import { tellPartitions } from "./tell-partitions.ts";
import { tellProjects } from "./tell-projects.ts";
import { BATCHES_AT_ONCE, LANES, type Tuning } from "./tuning.ts";
import { createEntryWriter } from "./write-entries.ts";
import type { StreamEntry } from "./chunked-reading.ts";

export type ConsumerOptions = {
  readonly config: Pick<
    ObservabilityConfig,
    | "OBSERVABILITY_ENABLED"
    | "OBSERVABILITY_REDIS_URL"
    | "OBSERVABILITY_STREAM_NAME"
    | "OBSERVABILITY_STREAMS"
    | "OBSERVABILITY_GROUP_NAME"
    | "OBSERVABILITY_CONSUMER_NAME"
    | "OBSERVABILITY_BATCH_SIZE"
  >;
  readonly database: Database<ObservabilitySchema>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
};

export type Consumer = {
  readonly name: string;
  readonly start: () => Promise<void>;
  /** Finishes the batches at hand and leaves the group. */
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/** Reads the partitions of the stream that are its share until it is stopped; no error ends it. Rings `written` after each commit. */
export function createStreamConsumer(options: ConsumerOptions, heartbeatKey: string, tuning: Tuning, written = createAlarm()): Consumer {
  const { config, database, log, clock } = options;
  const { OBSERVABILITY_REDIS_URL: url, OBSERVABILITY_STREAM_NAME: streamName, OBSERVABILITY_GROUP_NAME: group } = config;
  const { OBSERVABILITY_BATCH_SIZE: batchSize, OBSERVABILITY_STREAMS: count } = config;
  const name = `${config.OBSERVABILITY_CONSUMER_NAME}-${randomUUID().slice(0, 8)}`;
  const metrics = createConsumerMetrics(options.metrics);
  const commands = createRedis({ url, name: `sightline-${name}`, log });
  const redis = commands.client;
  const announceInRedis = createAnnouncer({ redis, streamName, log });
  const announce: Announce = (rows) => {
    announceInRedis(rows);
    written.ring();
  };
  const { maskingKnownMs } = tuning;
  const writeEntries = createEntryWriter({ database, clock, log, metrics, announce, maskingKnownMs });
  const beat = createHeartbeat({
    redis,
    key: heartbeatKey,
    content: { consumer: name, group, stream: streamName },
    clock,
    log,
    tuning,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  /** How many batches wait for the database because they could not be written. */
  let held = 0;
  let isRunning = false;
  const streams = new Map<string, EventStream>();
  /** Batches that are gathered and written at once; other readers wait with the few entries that woke them. */
  const batchLimit = createSemaphore({ atOnce: LANES });
  const readers = createPartitionReaders(readOn, LANES);
  const findShares = createPartitionShares({
    redis,
    stream: streamName,
    count,
    group,
    consumer: name,
    goneMs: tuning.claimIdleMs,
    quietMs: tuning.quietMs,
    log,
  });
  const tasks = createStreamTasks({
    partitions: { all: () => [...streams.values()], own: readers.partitions },
    query: database.query,
    clock,
    log,
    metrics,
    tuning,
    batchSize,
    wakenBy: written.wakenBy,
    share: async () => takeShare(await findShares()),
    tell: async () => {
      await tellProjects(database.query, { redis, key: `${heartbeatKey}:projects`, livesMs: tuning.heartbeatLivesMs });
      await tellPartitions({ redis, stream: streamName, count, log });
    },
    process,
  });

  function streamOf(key: string): EventStream {
    const stream = streams.get(key) ?? createEventStream({ stream: key, group, consumer: name, commands: redis, log });
    streams.set(key, stream);
    return stream;
  }

  async function takeShare({ all, own }: Shares): Promise<void> {
    all.forEach(streamOf);
    for (const key of streams.keys()) {
      if (!all.includes(key)) {
        streams.delete(key);
      }
    }
    const mine = own.map(streamOf);
    const before = readers.partitions();
    const added = mine.filter((stream) => !before.includes(stream));
    await Promise.all(added.map((stream) => stream.ensureGroup().catch((error: unknown) => recover(stream, error))));
    if (signal.aborted) {
      return;
    }
    if (all.length > 1 && (added.length > 0 || before.length > mine.length)) {
      log.info({ partitions: own }, "reads its share of the stream");
    }
    readers.set(mine);
  }

  async function readOn(stream: EventStream, released: AbortSignal): Promise<void> {
    const reader = createRedis({ url, name: `sightline-${name}-reader`, log, blockingMs: tuning.blockMs });
    const pause = createRetryPause(tuning, AbortSignal.any([signal, released]));
    /** Ends the batch at hand, where one was begun. */
    const ends: (() => void)[] = [];
    const read = stream.openReading(reader.client, async () => {
      if (ends.length === 0) {
        ends.push(await batchLimit.take(streamName));
      }
    });
    // A Redis that is away is waited for: the connection goes on trying by itself.
    await reader.client.connect().catch(() => undefined);
    while (!signal.aborted && !released.aborted) {
      try {
        await process(stream, await read(batchSize * BATCHES_AT_ONCE, tuning.blockMs));
        pause.reset();
      } catch (error) {
        if (!released.aborted) {
          await recover(stream, error);
          await pause.wait();
        }
      } finally {
        ends.pop()?.();
      }
    }
    await reader.close();
  }

  async function process(stream: EventStream, entries: readonly StreamEntry[]): Promise<void> {
    for (let start = 0; start < entries.length; start += batchSize) {
      log.info(`Processing batch of ${Math.min(batchSize, entries.length - start)} events`);
    }
    if (entries.length > 0) {
      await persist(stream, entries);
    }
    if (!signal.aborted && held === 0) {
      await beat();
    }
  }

  /** Holds the entries until the database takes them. When the consumer stops first, they stay pending. */
  async function persist(stream: EventStream, entries: readonly StreamEntry[]): Promise<void> {
    const pause = createRetryPause(tuning, signal);
    let isHeld = false;
    do {
      try {
        await writeEntries(stream, entries);
        held -= isHeld ? 1 : 0;
        return;
      } catch (error) {
        log.error({ entries: entries.length, reason: errorMessage(error) }, "a batch could not be written and is held");
        held += isHeld ? 0 : 1;
        isHeld = true;
        await pause.wait();
      }
    } while (!signal.aborted);
  }

  async function recover(stream: EventStream, failure: unknown): Promise<void> {
    if (!isGroupMissing(failure)) {
      log.warn({ reason: errorMessage(failure) }, "the stream could not be read, trying again");
      return;
    }
    await stream.ensureGroup().catch((cause: unknown) => log.warn({ reason: errorMessage(cause) }, "the consumer group could not be made"));
  }

  return {
    name,
    checks: [commands.check],
    start: async () => {
      if (!config.OBSERVABILITY_ENABLED) {
        log.warn("OBSERVABILITY_ENABLED is off: events stay on the stream");
        return;
      }
      isRunning = true;
      await redis.connect().catch(() => undefined);
      const first = partitionKeys(streamName, count);
      await takeShare({ all: first, own: first });
      tasks.start();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([readers.stop(), tasks.stop()]);
      if (isRunning) {
        await Promise.all([...streams.values()].map(leave));
      }
      await commands.close();
    },
  };

  async function leave(stream: EventStream): Promise<void> {
    try {
      await stream.leave();
    } catch (error) {
      if (!isGroupMissing(error)) {
        log.warn({ reason: errorMessage(error) }, "could not leave the consumer group");
      }
    }
  }
}
