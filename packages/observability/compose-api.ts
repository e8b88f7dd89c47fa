import { readExactValues } from "@sightline/foundation/http/exact-values";
import type { Check } from "@sightline/foundation/health";
import type { Authenticator, Routes } from "@sightline/foundation/http/http-server";
import { annotationRoutes } from "./annotation/annotation.routes.ts";
import { alertChannelRoutes } from "./alerts/project/alert-channels.routes.ts";
import { alertRuleRoutes } from "./alerts/project/alert-rules.routes.ts";
import { alertRoutes } from "./alerts/operator/alerts.routes.ts";
import { createBackendLoad } from "./alerts/operator/backend-load.ts";
import { toChannelAccess } from "./alerts/project/tell-channel.ts";
import { registerDatabaseConnections } from "./alerts/operator/database-connections.ts";
import { registerTextDelay } from "./alerts/operator/text-delay.ts";
import { registerUncountedHours } from "./alerts/operator/uncounted-hours.ts";
import { commentRoutes } from "./comments/comments.routes.ts";
import { createKeyAuthenticators } from "./keys/authenticators.ts";
import { keyRoutes } from "./keys/keys.routes.ts";
import { createKnownKeys } from "./keys/known-keys.ts";
import { createOtlpIntake } from "./otlp/otlp-intake.ts";
import type { StreamPublisher } from "./otlp/stream-publisher.ts";
import { datasetRoutes } from "./datasets/datasets.routes.ts";
import { fileRoutes } from "./datasets/files/files.routes.ts";
import { itemRoutes } from "./datasets/items.routes.ts";
import { promptFileRoutes } from "./prompts/prompt-files.routes.ts";
import { promptRoutes } from "./prompts/prompts.routes.ts";
import { promptVersionRoutes } from "./prompts/prompt-versions.routes.ts";
import { experimentRoutes } from "./experiments/experiments.routes.ts";
import { comparisonRoutes } from "./experiments/comparison.routes.ts";
import { preferenceRoutes } from "./preferences/preferences.routes.ts";
import { evaluatorRoutes } from "./judges/evaluators.routes.ts";
import { judgeRuleRoutes } from "./judges/rules.routes.ts";
import { tryRoutes } from "./judges/try.routes.ts";
import { modelConnectionRoutes } from "./models/connections.routes.ts";
import { createModelAccess } from "./models/model-access.ts";
import { playDatasetRoutes } from "./playground/dataset.routes.ts";
import { playgroundRoutes } from "./playground/playground.routes.ts";
import { sharedRoutes } from "./sharing/shared.routes.ts";
import { shareLinkRoutes } from "./sharing/share-links.routes.ts";
import { exportRoutes } from "./query/export/export.routes.ts";
import { createRecheck } from "./query/access/authenticators.ts";
import { createApi, type ApiOptions } from "./api.ts";
import { createCommitFeed } from "./query/live/commit-feed.ts";
import { LIVE_TUNING } from "./query/live/live-hub.ts";
import { createLive } from "./query/live/live.routes.ts";

export type ObservabilityApi = {
  /** `/health`, `/health/detailed`, `/api/v1/…` and `/v1/traces` of port 8000. Needs `authenticators`. */
  readonly routes: Routes;
  /**
   * `user`: an access token; `user-or-operator`: that, or the API_KEY; `admin-or-operator`: an admin's access token, or the API_KEY; `user-or-key`: an access token, or
   * a project's API key that may read; `user-or-evaluate`: an access token, or one that may evaluate; `user-or-prompts`: one that may read prompts; `user-or-scoring-key`: one that may give scores; `ingest`: a project's API key that may send.
   */
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  /** Connects to Redis; one that is away is waited for in the background. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
  /** Puts events of this process' own on the stream. */
  readonly publisher: Pick<StreamPublisher, "publish">;
};

/** The rooms that the API is made of. */
export function composeApi(options: ApiOptions, heartbeatKey: string, liveTuning = LIVE_TUNING): ObservabilityApi {
  const { config, database, clock, log, metrics, accounts } = options;
  const { query } = database;
  const feed = createCommitFeed({ url: config.OBSERVABILITY_REDIS_URL, streamName: config.OBSERVABILITY_STREAM_NAME, log });
  const api = createApi(options, heartbeatKey, feed);
  const intake = createOtlpIntake(options);
  const access = createModelAccess(config);
  const findKey = createKnownKeys({ query, clock, log });
  const { admitOrJob, ...people } = api.authenticators;
  const authenticators = { ...people, ...createKeyAuthenticators({ findKey, admitOrJob }) };
  const recheck = createRecheck({ accessTokens: options.accessTokens, authenticate: authenticators["user-or-key"] });
  const live = createLive({ feed, query, log, tuning: liveTuning });
  const load = createBackendLoad({ metrics, clock });
  registerDatabaseConnections(metrics, database);
  registerUncountedHours(metrics, database);
  registerTextDelay(metrics, database);
  return {
    routes: async (server) => {
      readExactValues(server);
      await api.routes(server);
      keyRoutes({ query, clock, log })(server);
      alertRoutes({ database, metrics, clock })(server);
      alertRuleRoutes({ query })(server);
      alertChannelRoutes({ query, clock, access: toChannelAccess(config, options.mailing) })(server);
      exportRoutes({ query, clock, log, metrics, recheck })(server);
      datasetRoutes({ query, clock, log })(server);
      itemRoutes({ query, clock, log })(server);
      await fileRoutes({ query, clock, log })(server);
      experimentRoutes({ query, clock, log })(server);
      comparisonRoutes({ query, clock })(server);
      preferenceRoutes({ query })(server);
      promptRoutes({ query, clock, log })(server);
      promptVersionRoutes({ query, clock, log })(server);
      await promptFileRoutes({ query, clock, log })(server);
      modelConnectionRoutes({ query, clock, log, access })(server);
      judgeRuleRoutes({ query, clock, log })(server);
      evaluatorRoutes({ query, clock, log })(server);
      annotationRoutes({ query, clock, log })(server);
      commentRoutes({ query, clock })(server);
      tryRoutes({ query, clock, log, access, publisher: intake.publisher })(server);
      shareLinkRoutes({ query, clock, accounts, publicUrl: config.PUBLIC_URL })(server);
      sharedRoutes({ query, clock })(server);
      playgroundRoutes({ query, clock, access, publisher: intake.publisher })(server);
      playDatasetRoutes({ query, clock, log })(server);
      live.routes(authenticators["user-or-key"])(server);
      await intake.routes(server);
    },
    authenticators,
    start: async () => {
      load.start();
      await Promise.all([api.start(), live.start(), intake.start()]);
    },
    stop: async () => {
      load.stop();
      await Promise.all([api.stop(), live.stop(), intake.stop()]);
    },
    checks: api.checks,
    publisher: intake.publisher,
  };
}
