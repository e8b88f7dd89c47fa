import { createAlertDuties } from "./alerts/project/alert-duties.ts";
import { channelAccessOf } from "./alerts/project/tell-channel.ts";
import { composeApi, type ObservabilityApi } from "./compose-api.ts";
import { HEARTBEAT_KEY } from "./config.ts";
import { createStreamConsumer, type Consumer, type ConsumerOptions } from "./ingest/stream-consumer.ts";
import { defaultTuning } from "./ingest/tuning.ts";
import type { ApiOptions } from "./api.ts";
import { createHousekeeping } from "./housekeeping/housekeeping.ts";

export { createObservabilityKeys, type ObservabilityKeys } from "./alerts/project/observability-keys.ts";
export { consumerVariables, observabilityVariables, type ObservabilityConfig } from "./config.ts";
export { observabilityMigrations } from "./migration-set.ts";
export type { ObservabilitySchema } from "./schema.ts";
export { createTraceTools, type TraceTools, type TraceToolsOptions } from "./mcp-tools/trace-tools.ts";

/**
 * Answers questions about what was observed, and takes spans of OpenTelemetry exporters. Evaluates the projects' alert rules and tells of them. Registers the stream's metrics (length, lag, heartbeat) in `metrics`.
 *
 * @example
 * const api = createObservabilityApi({ config, database, log, clock: systemClock, accessTokens, version, metrics });
 * await api.start();
 * const { routes, authenticators } = api;
 * const server = await createHttpServer({ name: "observability", title: "Observability", version, log, metrics, routes: [routes], authenticators });
 */
export function createObservabilityApi(options: ApiOptions): ObservabilityApi {
  const { config, database, log } = options;
  const api = withHousekeeping(composeApi(options, HEARTBEAT_KEY), options);
  const alerts = createAlertDuties({ query: database.query, log, access: channelAccessOf(config) });
  return {
    ...api,
    start: async () => {
      await api.start();
      alerts.start();
    },
    stop: async () => {
      await alerts.stop();
      await api.stop();
    },
  };
}

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
  return withHousekeeping(createStreamConsumer(options, HEARTBEAT_KEY, defaultTuning), options);
}

type Living = { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };

/** Every role with the database does housekeeping, so that it is done whichever roles run. */
function withHousekeeping<Part extends Living>(part: Part, { database, log }: Pick<ConsumerOptions, "database" | "log">): Part {
  const housekeeping = createHousekeeping({ query: database.query, log });
  return {
    ...part,
    start: async () => {
      await part.start();
      housekeeping.start();
    },
    stop: async () => {
      await housekeeping.stop();
      await part.stop();
    },
  };
}
