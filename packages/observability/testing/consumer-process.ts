import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { createStreamConsumer } from "#ingest/stream-consumer.ts";
import { defaultTuning, type Tuning } from "#ingest/tuning.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createAlarm } from "@sightline/foundation/repeat";
import { createHousekeeping } from "#housekeeping/housekeeping.ts";

export type ConsumerProcessOptions = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly stream: string;
  /** Partitions; 1 by default. */
  readonly streams?: number;
  readonly group: string;
  readonly tuning: Partial<Tuning>;
};

/** A consumer in a process of its own, to be killed: `node consumer-process.ts OPTIONS`, as JSON. */
const { databaseUrl, redisUrl, stream, streams = 1, group, tuning } = JSON.parse(process.argv[2] ?? "") as ConsumerProcessOptions;
// It goes when the one that started it goes.
process.stdin.resume().on("end", () => process.exit());
const log = createLog({ name: "consumer", level: "info" });
const database = createDatabase<ObservabilitySchema>({ url: databaseUrl, poolSize: 3, applicationName: "consumer-process", log });
const config = {
  OBSERVABILITY_ENABLED: true,
  OBSERVABILITY_REDIS_URL: redisUrl,
  OBSERVABILITY_STREAM_NAME: stream,
  OBSERVABILITY_STREAMS: streams,
  OBSERVABILITY_GROUP_NAME: group,
  OBSERVABILITY_CONSUMER_NAME: "consumer",
  OBSERVABILITY_BATCH_SIZE: 100,
};
const written = createAlarm();
const metrics = createMetrics("consumer");
const options = { config, database, log, clock: systemClock, metrics };
await createStreamConsumer(options, `${stream}:heartbeat`, { ...defaultTuning, ...tuning }, written).start();
createHousekeeping({ query: database.query, log, wakenBy: written.wakenBy }).start();
log.info("ready");
