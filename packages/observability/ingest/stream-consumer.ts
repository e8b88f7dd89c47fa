import { randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { messageOf } from "@sightline/foundation/errors";
import type { Check } from "@sightline/foundation/health";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { createRedis, type Redis } from "@sightline/foundation/redis";
import type { ObservabilityConfig } from "#config.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createAnnouncer } from "./announce.ts";
import { createConsumerMetrics } from "./consumer-metrics.ts";
import { createEventStream, isGroupMissing, type ReadEntries } from "./event-stream.ts";
import { createStreamDuties } from "./stream-duties.ts";
import { tellProjects } from "./tell-projects.ts";
import { BATCHES_AT_ONCE, LANES, type Tuning } from "./tuning.ts";
import { createEntryWriter } from "./write-entries.ts";
import type { StreamEntry } from "./chunked-reading.ts";
import { setTimeout as delay } from "node:timers/promises";

export type ConsumerOptions = {
  readonly config: Pick<
    ObservabilityConfig,
    | "OBSERVABILITY_ENABLED"
    | "OBSERVABILITY_REDIS_URL"
    | "OBSERVABILITY_STREAM_NAME"
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
  /** Finishes the batch at hand and leaves the group. */
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/** Reads the stream until it is stopped; no error ends it. */
export function createStreamConsumer(options: ConsumerOptions, heartbeatKey: string, tuning: Tuning): Consumer {
  const { config, database, log, clock } = options;
  const { OBSERVABILITY_REDIS_URL: url, OBSERVABILITY_STREAM_NAME: streamName, OBSERVABILITY_GROUP_NAME: group } = config;
  const batchSize = config.OBSERVABILITY_BATCH_SIZE;
  const name = `${config.OBSERVABILITY_CONSUMER_NAME}-${randomUUID().slice(0, 8)}`;
  const metrics = createConsumerMetrics(options.metrics);
  const readers = Array.from({ length: LANES }, () =>
    createRedis({ url, name: `sightline-${name}-reader`, log, blockingMs: tuning.blockMs }),
  );
  const commands = createRedis({ url, name: `sightline-${name}`, log });
  const connections = [...readers, commands];
  const stream = createEventStream({ stream: streamName, group, consumer: name, commands: commands.client, log });
  const announce = createAnnouncer({ redis: commands.client, streamName, log });
  const writeEntries = createEntryWriter({
    streamName,
    stream,
    database,
    clock,
    log,
    metrics,
    announce,
    maskingKnownMs: tuning.maskingKnownMs,
  });
  const beat = createHeartbeat({
    redis: commands.client,
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
  let running: Promise<unknown> | undefined;
  const duties = createStreamDuties({
    stream,
    query: database.query,
    clock,
    log,
    metrics,
    tuning,
    batchSize,
    tellProjects: () =>
      tellProjects(database.query, { redis: commands.client, key: `${heartbeatKey}:projects`, livesMs: tuning.heartbeatLivesMs }),
    process,
  });

  async function readOn(read: ReadEntries): Promise<void> {
    const pause = createRetryPause(tuning, signal);
    while (!signal.aborted) {
      try {
        await process(await read(batchSize * BATCHES_AT_ONCE, tuning.blockMs));
        pause.reset();
      } catch (error) {
        await recover(error);
        await pause.wait();
      }
    }
  }

  async function process(entries: readonly StreamEntry[]): Promise<void> {
    for (let start = 0; start < entries.length; start += batchSize) {
      log.info(`Processing batch of ${Math.min(batchSize, entries.length - start)} events`);
    }
    if (entries.length > 0) {
      await persist(entries);
    }
    if (!signal.aborted && held === 0) {
      await beat();
    }
  }

  /** Holds the entries until the database takes them. When the consumer stops first, they stay pending for the next one. */
  async function persist(entries: readonly StreamEntry[]): Promise<void> {
    const pause = createRetryPause(tuning, signal);
    let isHeld = false;
    do {
      try {
        await writeEntries(entries);
        held -= isHeld ? 1 : 0;
        return;
      } catch (error) {
        log.error({ entries: entries.length, reason: messageOf(error) }, "a batch could not be written and is held");
        held += isHeld ? 0 : 1;
        isHeld = true;
        await pause.wait();
      }
    } while (!signal.aborted);
  }

  async function recover(failure: unknown): Promise<void> {
    if (!isGroupMissing(failure)) {
      log.warn({ reason: messageOf(failure) }, "the stream could not be read, trying again");
      return;
    }
    await stream.ensureGroup().catch((cause: unknown) => log.warn({ reason: messageOf(cause) }, "the consumer group could not be made"));
  }

  return {
    name,
    checks: [commands.check],
    start: async () => {
      if (!config.OBSERVABILITY_ENABLED) {
        log.warn("OBSERVABILITY_ENABLED is off: events stay on the stream");
        return;
      }
      // A Redis that is away is waited for: the connections go on trying by themselves.
      await Promise.all(connections.map(({ client }) => client.connect().catch(() => undefined)));
      await stream.ensureGroup().catch(recover);
      running = Promise.all(readers.map(({ client }) => readOn(stream.openReading(client))));
      duties.start();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([running, duties.stop()]);
      if (running !== undefined) {
        await stream.leave().catch((error: unknown) => log.warn({ reason: messageOf(error) }, "could not leave the consumer group"));
      }
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

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
function createHeartbeat({ redis, key, content, clock, log, tuning }: HeartbeatOptions): () => Promise<void> {
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
      log.warn({ reason: messageOf(error) }, "the heartbeat could not be written");
    }
  };
}

type Pauses = { readonly firstRetryMs: number; readonly lastRetryMs: number };

/** Waits with pauses that double, give or take a quarter, so that replicas don't return in step. */
function createRetryPause({ firstRetryMs, lastRetryMs }: Pauses, signal: AbortSignal) {
  let next = firstRetryMs;
  return {
    reset: (): void => {
      next = firstRetryMs;
    },
    wait: async (): Promise<void> => {
      const milliseconds = next * (0.75 + Math.random() / 2);
      next = Math.min(next * 2, lastRetryMs);
      // The pause ends when the consumer stops.
      await delay(milliseconds, undefined, { signal }).catch(() => undefined);
    },
  };
}
