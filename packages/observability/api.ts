import type { AccessTokenVerifier } from "@sightline/foundation/http/access-token";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import type { Check } from "@sightline/foundation/health";
import type { Routes } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { createRedis } from "@sightline/foundation/redis";
import { createAlarm, type Alarm } from "@sightline/foundation/repeat";
import type { GrpcAddress } from "./otlp/grpc-intake.ts";
import type { Accounts } from "./accounts.ts";
import type { Mailing } from "#alerts/project/tell-channel.ts";
import type { ObservabilityConfig } from "#config.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { compareRoutes } from "./query/compare/compare.routes.ts";
import { createAuthenticators, type FindStanding, type ObservabilityAuthenticators } from "./query/access/authenticators.ts";
import { chartRoutes } from "./query/figures/charts.routes.ts";
import { issueRoutes } from "./issues/issues.routes.ts";
import { codeRunRoutes } from "./query/figures/code-runs.routes.ts";
import { createDeletionTasks } from "./deletion/deletion-tasks.ts";
import { deletionRoutes } from "./deletion/deletions.routes.ts";
import { createTellProducers } from "./deletion/tell-producers.ts";
import { deadLetterRoutes } from "./query/ingestion/dead-letters.routes.ts";
import { bulkRoutes } from "./query/list/bulk.routes.ts";
import { facetRoutes } from "./query/list/facets.routes.ts";
import { histogramRoutes } from "./query/list/histogram.routes.ts";
import { gapRoutes } from "./query/ingestion/gaps.routes.ts";
import { createGoneProducers } from "./query/ingestion/gone-producers.ts";
import { healthRoutes } from "./query/ingestion/health.routes.ts";
import { intakeRoutes } from "./query/ingestion/intake.routes.ts";
import { memberRoutes } from "./query/projects/members.routes.ts";
import { listTraceRoutes } from "./query/list/list-traces.routes.ts";
import { maskingRoutes } from "./query/projects/masking.routes.ts";
import { scoreConfigRoutes } from "./query/projects/score-configs.routes.ts";
import { metricsRoutes } from "./query/figures/metrics.routes.ts";
import { traceFiguresRoutes } from "./query/figures/trace-figures.routes.ts";
import { priceRoutes } from "./query/projects/prices.routes.ts";
import { projectRoutes } from "./query/projects/projects.routes.ts";
import { scoreRoutes } from "./query/trace/scores.routes.ts";
import { readLagSeconds, registerStreamMetrics } from "./query/ingestion/stream-metrics.ts";
import { createStreamState } from "./events/stream-state.ts";
import { traceGroupRoutes } from "./query/list/trace-groups.routes.ts";
import type { CommitFeed } from "./query/live/commit-feed.ts";
import { sessionRoutes } from "./query/sessions/sessions.routes.ts";
import { userRoutes } from "./query/sessions/users.routes.ts";
import { replayRoutes } from "./query/replay/replay.routes.ts";
import { tracePartRoutes } from "./query/trace/trace-parts.routes.ts";
import { traceRoutes } from "./query/trace/traces.routes.ts";
import { viewRoutes } from "./query/list/views.routes.ts";
import { transcriptRoutes } from "./query/transcript/transcript.routes.ts";

export type ApiOptions = {
  readonly config: Pick<
    ObservabilityConfig,
    | "API_KEY"
    | "OBSERVABILITY_REDIS_URL"
    | "OBSERVABILITY_STREAM_NAME"
    | "OBSERVABILITY_STREAMS"
    | "ENCRYPTION_KEYS"
    | "PUBLIC_URL"
    | "OBSERVABILITY_PUBLIC_URL"
    | "OBSERVABILITY_PUBLIC_REDIS_URL"
    | "OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS"
    | "OBSERVABILITY_ALLOW_MODEL_HOSTS"
  >;
  readonly database: Database<ObservabilitySchema>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly accessTokens: AccessTokenVerifier;
  /** Left out where the accounts are another identity provider's. */
  readonly findStanding?: FindStanding | undefined;
  readonly version: string;
  readonly metrics: Metrics;
  /** Undefined where the operator has no mail server. */
  readonly mailing?: Mailing | undefined;
  readonly accounts?: Accounts | undefined;
  /** Wakes what is done in the background, and is rung by it; by default nobody else hears it. */
  readonly alarm?: Alarm | undefined;
  /** Where OTLP over gRPC is served too. */
  readonly grpc?: GrpcAddress | undefined;
};

type Api = {
  readonly routes: Routes;
  readonly authenticators: ObservabilityAuthenticators;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

export function createApi(options: ApiOptions, heartbeatKey: string, feed: CommitFeed): Api {
  const { config, database, log, clock, accessTokens, findStanding, version, metrics, accounts, alarm = createAlarm() } = options;
  const redis = createRedis({ url: config.OBSERVABILITY_REDIS_URL, name: "sightline-observability", log });
  const streamOptions = { redis: redis.client, stream: config.OBSERVABILITY_STREAM_NAME, count: config.OBSERVABILITY_STREAMS };
  const stream = createStreamState(streamOptions);
  registerStreamMetrics({ metrics, redis: redis.client, stream, heartbeatKey });
  const queries = { query: database.query, clock, log };
  const readLag = () => readLagSeconds(stream);
  const goneProducers = createGoneProducers({
    ...queries,
    readLag,
    committed: { wakenBy: feed.onCommit, isHeard: feed.isConnected },
  });
  const deletions = createDeletionTasks({ query: database.query, log, readLag, tellProducers: createTellProducers(streamOptions), alarm });
  return {
    routes: async (server) => {
      healthRoutes({ database, redis, stream, heartbeatKey, clock, version })(server);
      intakeRoutes(config)(server);
      projectRoutes({ ...queries, accounts })(server);
      memberRoutes(queries)(server);
      maskingRoutes(queries)(server);
      scoreConfigRoutes(queries)(server);
      listTraceRoutes(queries)(server);
      bulkRoutes(queries)(server);
      deletionRoutes(queries)(server);
      facetRoutes(queries)(server);
      histogramRoutes(queries)(server);
      traceFiguresRoutes(queries)(server);
      traceGroupRoutes(queries)(server);
      sessionRoutes(queries)(server);
      userRoutes(queries)(server);
      viewRoutes(queries)(server);
      traceRoutes(queries)(server);
      transcriptRoutes(queries)(server);
      tracePartRoutes(queries)(server);
      replayRoutes(queries)(server);
      deadLetterRoutes({ ...queries, stream: { redis: redis.client, name: config.OBSERVABILITY_STREAM_NAME } })(server);
      gapRoutes(queries)(server);
      priceRoutes(queries)(server);
      metricsRoutes(queries)(server);
      chartRoutes(queries)(server);
      scoreRoutes(queries)(server);
      codeRunRoutes(queries)(server);
      compareRoutes(queries)(server);
      issueRoutes(queries)(server);
    },
    authenticators: createAuthenticators({ accessTokens, apiKey: config.API_KEY, findStanding }),
    // A Redis that is away is waited for: the connection goes on trying by itself.
    start: async () => {
      await redis.client.connect().catch(() => undefined);
      goneProducers.start();
      deletions.start();
    },
    stop: async () => {
      await Promise.all([goneProducers.stop(), deletions.stop()]);
      await redis.close();
    },
    checks: [database.check, redis.check],
  };
}
