import type { AccessTokenVerifier } from "@sightline/foundation/http/access-token";
import type { Clock } from "@sightline/foundation/clock";
import type { Check } from "@sightline/foundation/health";
import type { Authenticator, Routes } from "@sightline/foundation/http/http-server";
import { createLifecycle, type Service } from "@sightline/foundation/lifecycle";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { createAuthenticators, type FindStanding } from "./http/access/authenticators.ts";
import { commitRoutes } from "./http/commits.routes.ts";
import { searchRoutes } from "./http/search.routes.ts";
import { createCallLimit } from "./mcp/call-limit.ts";
import { credentialRoutes } from "./http/credentials.routes.ts";
import { deliveryRoutes } from "./http/deliveries.routes.ts";
import { developerTokenRoutes } from "./http/developer-tokens.routes.ts";
import { embeddingRoutes } from "./http/embedding.routes.ts";
import { fileRoutes } from "./http/files.routes.ts";
import { healthRoutes } from "./http/health.routes.ts";
import { withStatusOfContract } from "./http/kit/full-pool.ts";
import { jobRoutes } from "./http/jobs.routes.ts";
import { type PluginTools, createCodeIndexServer, exactValuesOf } from "./mcp/server.ts";
import { createMcpEndpoint, type McpEndpoint } from "./mcp/handler.ts";
import { mcpChallenge, mcpRoutes, resourceMetadataRoutes } from "./mcp/mcp.routes.ts";
import { registerQueueMetrics } from "./http/queue-metrics.ts";
import { repositoryRoutes } from "./http/repositories.routes.ts";
import { savedSearchRoutes } from "./http/saved-searches.routes.ts";
import { scipRoutes } from "./http/scip.routes.ts";
import { createWebhook } from "./http/webhook.routes.ts";
import type { CodeIndexConfig, EmbeddingConfig } from "./config.ts";
import { createCodeIndexSealer } from "./credentials/sealer.ts";
import { createSourceAccess } from "./credentials/source-access.ts";
import { createQueryEmbedder } from "./embedding/query-embedder.ts";
import { createReranker } from "./retrieval/ranking/rerank.ts";
import { ranksByFeatures } from "./retrieval/ranking/reranking-model.ts";
import { createWatchdog } from "./indexing/watchdog.ts";
import { createGrepLimit } from "./retrieval/grep/grep.ts";
import { createNameFinder } from "./splitting/uses/name-finder.ts";
import { createSearchState, type SearchDependencies } from "./retrieval/search/search.ts";
import { createProvisioner } from "./tenants/provision-tenant.ts";
import { noteCancellation, takeCancellations } from "./mcp/kit/cancellations.store.ts";
import { failOrphans } from "./store/records/failed-jobs.store.ts";
import { createPeopleTasks, type WatchPeople } from "./watching/people.ts";
import { migrateTenants, type CodeIndexDatabase } from "./store/tenancy/tenant.ts";

export { createCodeIndexKeys } from "./credentials/code-index-keys.ts";
export { describeTools, type DescribedTool } from "./mcp/server.ts";
export type { PluginTools, PluginToolCall, PluginTool } from "./mcp/server.ts";
export { countTokens } from "./tokens/count-tokens.ts";
export { codeIndexMigrations } from "./store/tenancy/migrations.ts";
export { markTenant as deleteCodeIndexTenant } from "./store/records/deletions.store.ts";
export { describeCluster, type Cluster } from "./tenants/describe-cluster.ts";
export { placeTenant as placeCodeIndexTenant } from "./store/tenancy/place-tenant.ts";
export { listTenants as listCodeIndexTenants } from "./tenants/tenants.store.ts";
export { ensureTenant as ensureCodeIndexTenant, type CodeIndexDatabase } from "./store/tenancy/tenant.ts";

export type CodeIndexApiOptions = {
  readonly config: Pick<
    CodeIndexConfig,
    | "CODEINDEX_ALLOW_FILE_URLS"
    | "CODEINDEX_ALLOW_PRIVATE_HOSTS"
    | "CODEINDEX_ENCRYPTION_KEYS"
    | "CODEINDEX_MCP_CALLS_PER_MINUTE"
    | "CODEINDEX_PUBLIC_URL"
    | "CODEINDEX_TENANT_AUTO_PROVISION"
    | "CODEINDEX_WEBHOOK_SECRET"
  > &
    EmbeddingConfig;
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly accessTokens: AccessTokenVerifier;
  readonly version: string;
  /** The issuer of the tokens of connected apps; without it there are none. */
  readonly authorizationServer?: string | undefined;
  /** Plug-in tools of another part, which `/mcp` offers beside its own. */
  readonly plugin?: PluginTools | undefined;
  /** Left out where the accounts are another identity provider's. */
  readonly findStanding?: FindStanding | undefined;
  /** Accounts of those who save searches, and the way to mail them; left out where the accounts are another identity provider's. */
  readonly people?: WatchPeople | undefined;
};

export type CodeIndexApi = {
  readonly routes: readonly Routes[];
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/**
 * The HTTP side of the code index: `/mcp`, `/api/v1`, `/health`. Give `routes` and `authenticators` to
 * `createHttpServer`, and `start` before it listens.
 *
 * @example
 * const api = createCodeIndexApi({ config, database, log, clock: systemClock, metrics, accessTokens, version: "1.0.0" });
 * const server = await createHttpServer({ ...options, routes: api.routes, authenticators: api.authenticators });
 * await api.start();
 */
export function createCodeIndexApi(options: CodeIndexApiOptions): CodeIndexApi {
  const { config, database, log, clock, metrics, accessTokens, version, authorizationServer, plugin, people, findStanding } = options;
  const publicUrl = config.CODEINDEX_PUBLIC_URL;
  const searching: SearchDependencies = {
    ...createSearchState(),
    database,
    log,
    embedder: createQueryEmbedder({ config, log }),
    reranker: createReranker({ config, log }),
    usesModel: ranksByFeatures(config),
  };
  const grepLimit = createGrepLimit();
  const finder = createNameFinder({ log });
  const sealer = createCodeIndexSealer(config.CODEINDEX_ENCRYPTION_KEYS);
  const webhook = createWebhook({ secret: config.CODEINDEX_WEBHOOK_SECRET, sealer, database, log, clock, metrics });
  const sources = createSourceAccess({ config, database, log, clock });
  const checks = [database.check];
  let mcp: McpEndpoint | undefined;

  const eachOrphan = createEachOwner({ log, clock, name: "ending an orphaned job" });
  const watchdog = createWatchdog({ database, log, clock });
  registerQueueMetrics({ metrics, database, clock, watchdogLookedAt: watchdog.lookedAt });
  // The order is part of the contract: what a step needs was made by the one before.
  const steps: readonly Service[] = [
    {
      name: "database connection pool",
      start: async () => {
        await database.check.check();
        await migrateTenants(database, log);
      },
      stop: async () => undefined,
    },
    {
      name: "orphaned jobs",
      start: async () => void (await failOrphans(database, { now: clock.now(), each: eachOrphan })),
      stop: async () => undefined,
    },
    { name: "watchdog", start: watchdog.start, stop: watchdog.stop },
    {
      name: "MCP session manager",
      start: async () => {
        mcp = createMcpEndpoint({
          log,
          exactValues: exactValuesOf(plugin),
          createServer: (opens) => createCodeIndexServer({ ...searching, grepLimit, finder, version, plugin, ...opens }),
          cancellations: {
            note: (call) => noteCancellation(database, call),
            take: (running) => takeCancellations(database, running),
          },
        });
      },
      stop: async () => {
        await mcp?.close();
        mcp = undefined;
      },
    },
  ];
  const authenticators = createAuthenticators({
    database,
    clock,
    accessTokens,
    findStanding,
    provision: config.CODEINDEX_TENANT_AUTO_PROVISION ? createProvisioner({ database, log, clock }) : undefined,
    mcpChallenge: mcpChallenge(publicUrl),
  });
  const peopleTasks = people && createPeopleTasks({ database, log, clock, people });
  const lifecycle = createLifecycle({ log, services: steps.map((step) => announced(step, log)) });

  return {
    routes: [
      healthRoutes({ version, database, clock, watchdogLookedAt: watchdog.lookedAt }),
      resourceMetadataRoutes(publicUrl, authorizationServer),
      mcpRoutes({
        publicUrl,
        limit: createCallLimit({ database, log, perMinute: config.CODEINDEX_MCP_CALLS_PER_MINUTE }),
        endpoint: () => mcp,
      }),
      developerTokenRoutes({ database, clock }),
      credentialRoutes({ database, clock, sealer, sources }),
      repositoryRoutes({ config, database, clock, sealer }),
      fileRoutes({ database }),
      scipRoutes({ database, clock }),
      embeddingRoutes({ database, embedder: searching.embedder?.identity }),
      jobRoutes({ database, clock, log, reader: authenticators.reader }),
      commitRoutes({ database }),
      searchRoutes({ ...searching, grepLimit, finder }),
      savedSearchRoutes({ database, clock, mails: people?.mailing !== undefined }),
      webhook.routes,
      deliveryRoutes({ database, clock }),
    ].map(withStatusOfContract),
    authenticators: {
      ...authenticators,
      webhook: webhook.authenticator,
    },
    start: async () => {
      await lifecycle.start();
      peopleTasks?.start();
    },
    stop: async () => {
      await peopleTasks?.stop();
      await lifecycle.stop();
      await finder.close();
    },
    checks,
  };
}

function announced(step: Service, log: Logger): Service {
  return {
    ...step,
    start: async () => {
      await step.start();
      log.debug({ step: step.name }, "a step of the start-up is done");
    },
  };
}
