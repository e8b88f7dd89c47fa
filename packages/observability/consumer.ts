import { createAlarm } from "@sightline/foundation/repeat";
import { HEARTBEAT_KEY } from "./config.ts";
import { withHousekeeping } from "./housekeeping/with-housekeeping.ts";
import { createStreamConsumer, type Consumer, type ConsumerOptions } from "./ingest/stream-consumer.ts";
import { defaultTuning } from "./ingest/tuning.ts";

/**
 * Moves events from the stream to the database; any number may run. Errors of Redis and of the database are waited
 * out, never thrown. With `OBSERVABILITY_ENABLED=false` it stays idle.
 *
 * @example
 * const consumer = createConsumer({ config, database, log, clock: systemClock, metrics });
 * await consumer.start();
 * await consumer.stop();
 */
export function createConsumer(options: ConsumerOptions): Consumer {
  const written = createAlarm();
  return withHousekeeping(createStreamConsumer(options, HEARTBEAT_KEY, defaultTuning, written), { ...options, wakenBy: written.wakenBy });
}
