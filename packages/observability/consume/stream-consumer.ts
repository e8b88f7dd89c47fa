import { randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database";
import { messageOf } from "@sightline/foundation/errors";
import type { Check } from "@sightline/foundation/health";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/metrics";
import { createRedis } from "@sightline/foundation/redis";
import type { ObservabilityConfig } from "#config.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { settleGaps } from "#store/gaps.store.ts";
import { createConsumerMetrics } from "./consumer-metrics.ts";
import { createEventStream, isGroupMissing, type StreamEntry } from "./event-stream.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { createRetryPause } from "./retry-pause.ts";
import type { Tuning } from "./tuning.ts";
import { createEntryWriter } from "./write-entries.ts";

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
  const name = `${config.OBSERVABILITY_CONSUMER_NAME}-${randomUUID().slice(0, 8)}`;
  const metrics = createConsumerMetrics(options.metrics);
  const reader = createRedis({ url, name: `sightline-${name}-reader`, log, blockingMs: tuning.blockMs });
  const commands = createRedis({ url, name: `sightline-${name}`, log });
  const stream = createEventStream({ stream: streamName, group, consumer: name, reader: reader.client, commands: commands.client, log });
  const writeEntries = createEntryWriter({ streamName, stream, database, clock, log, metrics });
  const beat = createHeartbeat({
    redis: commands.client,
    key: heartbeatKey,
    content: { consumer: name, group, stream: streamName },
    clock,
    log,
    tuning,
  });
  const stopping = new AbortController();
  const duties = [
    every(tuning.claimEveryMs, claimEntries),
    every(tuning.findGapsEveryMs, findGaps),
    every(tuning.reapEveryMs, reapConsumers),
  ];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const pause = createRetryPause(tuning, stopping.signal);
    while (!stopping.signal.aborted) {
      try {
        for (const duty of duties) {
          await duty(clock.now().getTime());
        }
        await process(await stream.read(config.OBSERVABILITY_BATCH_SIZE, tuning.blockMs));
        pause.reset();
      } catch (error) {
        await recover(error);
        await pause.wait();
      }
    }
  }

  async function process(entries: readonly StreamEntry[]): Promise<void> {
    if (entries.length > 0) {
      log.info(`Processing batch of ${entries.length} events`);
      await persist(entries);
    }
    if (!stopping.signal.aborted) {
      await beat();
    }
  }

  /** Holds the entries until the database takes them. When the consumer stops first, they stay pending for the next one. */
  async function persist(entries: readonly StreamEntry[]): Promise<void> {
    const pause = createRetryPause(tuning, stopping.signal);
    do {
      try {
        await writeEntries(entries);
        return;
      } catch (error) {
        log.error({ entries: entries.length, reason: messageOf(error) }, "a batch could not be written and is held");
        await pause.wait();
      }
    } while (!stopping.signal.aborted);
  }

  async function recover(failure: unknown): Promise<void> {
    if (!isGroupMissing(failure)) {
      log.warn({ reason: messageOf(failure) }, "the stream could not be read, trying again");
      return;
    }
    await stream.ensureGroup().catch((cause: unknown) => log.warn({ reason: messageOf(cause) }, "the consumer group could not be made"));
  }

  async function claimEntries(): Promise<void> {
    const entries = await stream.claim(config.OBSERVABILITY_BATCH_SIZE, tuning.claimIdleMs);
    if (entries.length > 0) {
      log.info({ entries: entries.length }, "took over entries that were not acknowledged");
      await process(entries);
    }
  }

  async function findGaps(): Promise<void> {
    try {
      const lost = await settleGaps(database.query, tuning.reorderWindowMs);
      if (lost > 0) {
        metrics.lost.inc({ reason: "missing" }, lost);
        log.error({ events: lost }, "events are missing from the stream");
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "gaps could not be looked for");
    }
  }

  async function reapConsumers(): Promise<void> {
    const removed = await stream.reap(tuning.reapIdleMs);
    if (removed.length > 0) {
      log.info({ consumers: removed }, "removed consumers that are gone");
    }
  }

  return {
    name,
    checks: [commands.check],
    start: async () => {
      if (!config.OBSERVABILITY_ENABLED) {
        log.warn("OBSERVABILITY_ENABLED is off: events stay on the stream");
        return;
      }
      // A Redis that is away is waited for: both connections go on trying by themselves.
      await Promise.all([reader, commands].map(({ client }) => client.connect().catch(() => undefined)));
      await stream.ensureGroup().catch(recover);
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await running;
      if (running !== undefined) {
        await stream.leave().catch((error: unknown) => log.warn({ reason: messageOf(error) }, "could not leave the consumer group"));
      }
      await Promise.all([reader.close(), commands.close()]);
    },
  };
}

/** A duty that is done at most once in `milliseconds`; when it fails it is due again at once. */
function every(milliseconds: number, duty: () => Promise<void>): (now: number) => Promise<void> {
  let due = -Infinity;
  return async (now) => {
    if (now >= due) {
      await duty();
      due = now + milliseconds;
    }
  };
}
