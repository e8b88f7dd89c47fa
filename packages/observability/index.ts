import { createAlarm } from "@sightline/foundation/repeat";
import { createAlertTasks } from "./alerts/project/alert-tasks.ts";
import { toChannelAccess } from "./alerts/project/tell-channel.ts";
import { composeApi, type ObservabilityApi } from "./compose-api.ts";
import { createMentionTasks } from "./comments/mention-tasks.ts";
import { HEARTBEAT_KEY } from "./config.ts";
import type { ApiOptions } from "./api.ts";
import { createJudgeTasks } from "./judges/judge-tasks.ts";
import { createModelAccess } from "./models/model-access.ts";
import { runItem } from "./playground/run-item.ts";
import { withHousekeeping } from "./housekeeping/with-housekeeping.ts";

export { createObservabilityKeys, type ObservabilityKeys } from "./alerts/project/observability-keys.ts";
export { findPartitionState } from "./events/partition-state.ts";
export { observabilityMigrations } from "./migration-set.ts";
export type { ObservabilitySchema } from "./schema.ts";

/**
 * Answers questions about what was observed, and takes spans of OpenTelemetry exporters. Evaluates the projects' alert rules and tells of them. Registers the stream's metrics (length, lag, heartbeat) in `metrics`.
 *
 * @example
 * const api = createObservabilityApi({ config, database, log, clock: systemClock, accessTokens, version, metrics });
 * await api.start();
 * const { routes, authenticators } = api;
 * const server = await createHttpServer({ name: "observability", title: "Observability", version, log, metrics, routes: [routes], authenticators });
 */
export function createObservabilityApi(options: Omit<ApiOptions, "alarm">): ObservabilityApi {
  const { config, database, log, clock } = options;
  const alarm = createAlarm();
  const { ring, wakenBy } = alarm;
  const api = withHousekeeping(composeApi({ ...options, alarm }, HEARTBEAT_KEY), { ...options, wakenBy });
  const alerts = createAlertTasks({ query: database.query, log, access: toChannelAccess(config, options.mailing), wakenBy });
  const mentions = createMentionTasks({ ...options, query: database.query, wakenBy });
  const judges = createJudgeTasks({
    query: database.query,
    log,
    clock,
    access: createModelAccess(config),
    publisher: api.publisher,
    runItem,
    wakenBy,
  });
  return {
    ...api,
    routes: async (server) => {
      // What a request has changed may leave something to do in the background.
      server.addHook("onResponse", async ({ method }) => {
        if (method !== "GET" && method !== "HEAD") {
          ring();
        }
      });
      await api.routes(server);
    },
    start: async () => {
      await api.start();
      alerts.start();
      judges.start();
      mentions.start();
    },
    stop: async () => {
      await Promise.all([alerts.stop(), judges.stop(), mentions.stop()]);
      await api.stop();
    },
  };
}
