import { createAlarm } from "@sightline/foundation/repeat";
import { HEARTBEAT_KEY } from "./config.ts";
import { withHousekeeping } from "./housekeeping/with-housekeeping.ts";
import { createStreamConsumer, type Consumer, type ConsumerOptions } from "./ingest/stream-consumer.ts";
import { defaultTuning } from "./ingest/tuning.ts";
import { createDirectNodes, type OpenNode } from "./store/nodes/direct-nodes.ts";

type Options = Omit<ConsumerOptions, "directNodes"> & {
  /** Where it is given, events are written to the nodes of a Citus cluster directly, and counted there; what is opened is closed at the stop. */
  readonly openNode?: OpenNode | undefined;
};

/**
 * Moves events from the stream to the database; any number may run. Errors of Redis and of the database are waited
 * out, never thrown. With `OBSERVABILITY_ENABLED=false` it stays idle.
 *
 * @example
 * const consumer = createConsumer({ config, database, log, clock: systemClock, metrics });
 * await consumer.start();
 * await consumer.stop();
 */
export function createConsumer({ openNode, ...others }: Options): Consumer {
  const { database, clock, log } = others;
  const written = createAlarm();
  const directNodes = openNode === undefined ? undefined : createDirectNodes({ query: database.query, openNode, clock, log });
  const options = { ...others, directNodes };
  return withHousekeeping(createStreamConsumer(options, HEARTBEAT_KEY, defaultTuning, written), { ...options, wakenBy: written.wakenBy });
}
