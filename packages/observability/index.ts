import { fileURLToPath } from "node:url";
import type { MigrationSet } from "@sightline/foundation/migrations";
import { HEARTBEAT_KEY } from "./config.ts";
import { createStreamConsumer, type Consumer, type ConsumerOptions } from "./consume/stream-consumer.ts";
import { defaultTuning } from "./consume/tuning.ts";

export { observabilityVariables, type ObservabilityConfig } from "./config.ts";
export type { ObservabilitySchema } from "./schema.ts";

/** The schema `observability`. */
export const observabilityMigrations: MigrationSet = {
  part: "observability",
  folder: fileURLToPath(new URL("./migrations", import.meta.url)),
};

/** Moves events from the stream to the database; any number may run. With `OBSERVABILITY_ENABLED=false` it stays idle. */
export function createConsumer(options: ConsumerOptions): Consumer {
  return createStreamConsumer(options, HEARTBEAT_KEY, defaultTuning);
}
