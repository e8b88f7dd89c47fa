import { createCodeIndexApi, createIndexer, codeIndexVariables } from "@sightline/code-index";
import { createAccessTokenVerifier } from "@sightline/foundation/access-token";
import { systemClock } from "@sightline/foundation/clock";
import { readConfig } from "@sightline/foundation/config";
import { createDatabase, type Database } from "@sightline/foundation/database";
import { createHttpServer, listening, type Authenticator, type Routes } from "@sightline/foundation/http-server";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Logger } from "@sightline/foundation/log";
import { createMetrics, type Metrics } from "@sightline/foundation/metrics";
import { createIdentity, identityVariables } from "@sightline/identity";
import { createConsumer, createObservabilityApi, observabilityVariables } from "@sightline/observability";
import { platformVariables, type PlatformConfig } from "./config.ts";
import { consoleFolder } from "./console-build.ts";
import { consolePages } from "./console-pages.ts";
import { proxyRoutes } from "./console-proxy.ts";
import type { Environment } from "./environment.ts";
import { healthRoutes } from "./health-routes.ts";
import type { RoleName } from "./role-names.ts";
import { version } from "./version.ts";

export type Wiring = {
  readonly environment: Environment;
  readonly log: Logger;
};

/** Everything a role consists of, in the order of its start. */
export async function composeRole(role: RoleName, wiring: Wiring): Promise<readonly Service[]> {
  return COMPOSERS[role]({
    ...wiring,
    clock: systemClock,
    metrics: createMetrics(role),
    platform: readConfig(platformVariables, wiring.environment),
  });
}

type Context = Wiring & { readonly clock: typeof systemClock; readonly metrics: Metrics; readonly platform: PlatformConfig };

const COMPOSERS: Readonly<Record<RoleName, (context: Context) => Promise<readonly Service[]>>> = {
  identity: composeIdentity,
  "code-index": composeCodeIndex,
  indexer: composeIndexer,
  observability: composeObservability,
  consumer: composeConsumer,
  console: composeConsole,
};

async function composeIdentity(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(identityVariables, environment);
  const database = openDatabase<IdentityDatabase>(context, "identity", config.DATABASE_URL, config.DATABASE_POOL_SIZE);
  const identity = createIdentity({ config, database, log, clock });
  const http = await serve(context, {
    title: "Sightline identity",
    port: config.IDENTITY_PORT,
    portVariable: "IDENTITY_PORT",
    authenticators: identity.authenticators,
    routes: [identity.routes, healthRoutes(identity.checks)],
    corsOrigins: config.CORS_ORIGINS,
  });
  return [closing(database), { name: "identity", start: identity.start, stop: identity.stop }, http];
}

async function composeCodeIndex(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(codeIndexVariables, environment);
  const database = openDatabase<CodeIndexDatabase>(context, "code-index", config.CODEINDEX_DATABASE_URL, config.CODEINDEX_DATABASE_POOL_SIZE);
  const accessTokens = createAccessTokenVerifier({ jwksUrl: config.CODEINDEX_JWT_JWKS_URL, audience: config.CODEINDEX_JWT_AUDIENCE });
  const api = createCodeIndexApi({ config, database, log, clock, accessTokens, version });
  const http = await serve(context, {
    title: "Sightline code index",
    port: config.CODEINDEX_PORT,
    portVariable: "CODEINDEX_PORT",
    authenticators: api.authenticators,
    routes: [api.routes],
  });
  return [closing(database), { name: "code-index", start: api.start, stop: api.stop }, http];
}

async function composeIndexer(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(codeIndexVariables, environment);
  const database = openDatabase<CodeIndexDatabase>(context, "indexer", config.CODEINDEX_DATABASE_URL, config.CODEINDEX_DATABASE_POOL_SIZE);
  const indexer = createIndexer({ config, database, log, clock });
  return [closing(database), { name: "indexer", start: indexer.start, stop: indexer.stop }];
}

/** Serves identity's registration too, which its contract puts on this port. */
async function composeObservability(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(observabilityVariables, environment);
  const identityConfig = readConfig(identityVariables, environment);
  const poolSize = identityConfig.DATABASE_POOL_SIZE;
  const database = openDatabase<ObservabilityDatabase>(context, "observability", config.DATABASE_URL, poolSize);
  const accounts = openDatabase<IdentityDatabase>(context, "registration", identityConfig.DATABASE_URL, 2);
  const accessTokens = createAccessTokenVerifier({ jwksUrl: config.IDENTITY_JWKS_URL, audience: TOKEN_AUDIENCE });
  const api = createObservabilityApi({ config, database, log, clock, accessTokens, version });
  const identity = createIdentity({ config: identityConfig, database: accounts, log, clock });
  const http = await serve(context, {
    title: "Sightline observability",
    port: config.OBSERVABILITY_PORT,
    portVariable: "OBSERVABILITY_PORT",
    authenticators: { ...identity.authenticators, ...api.authenticators },
    routes: [api.routes, identity.registrationRoutes],
    corsOrigins: config.CORS_ORIGINS,
  });
  return [closing(database), closing(accounts), { name: "observability", start: api.start, stop: api.stop }, http];
}

async function composeConsumer(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock, metrics } = context;
  const config = readConfig(observabilityVariables, environment);
  const { DATABASE_POOL_SIZE: poolSize } = readConfig({ DATABASE_POOL_SIZE: identityVariables.DATABASE_POOL_SIZE }, environment);
  const database = openDatabase<ObservabilityDatabase>(context, "consumer", config.DATABASE_URL, poolSize);
  const consumer = createConsumer({ config, database, log, clock, metrics });
  return [closing(database), { name: "consumer", start: consumer.start, stop: consumer.stop }];
}

async function composeConsole(context: Context): Promise<readonly Service[]> {
  const { platform } = context;
  const http = await serve(context, {
    title: "Sightline console",
    port: platform.CONSOLE_PORT,
    portVariable: "CONSOLE_PORT",
    authenticators: {},
    routes: [
      healthRoutes([]),
      proxyRoutes([
        { prefix: "/api/identity", name: "Identity", url: platform.IDENTITY_URL },
        { prefix: "/api/code-index", name: "The code index", url: platform.CODEINDEX_URL },
        { prefix: "/api/observability", name: "Observability", url: platform.OBSERVABILITY_URL },
      ]),
      consolePages(consoleFolder().built),
    ],
  });
  return [http];
}

type IdentityDatabase = DatabaseOf<typeof createIdentity>;
type CodeIndexDatabase = DatabaseOf<typeof createIndexer>;
type ObservabilityDatabase = DatabaseOf<typeof createConsumer>;

/** The tables a part works on, as its door asks for them. */
type DatabaseOf<Door extends (dependencies: never) => unknown> = Parameters<Door>[0] extends { readonly database: Database<infer Schema> }
  ? Schema
  : never;

const TOKEN_AUDIENCE = "sightline";

function openDatabase<Schema>({ log }: Context, name: string, url: string, poolSize: number): Database<Schema> {
  return createDatabase<Schema>({ url, poolSize, applicationName: `sightline-${name}`, log });
}

/** Connections are closed after everything that uses them. */
function closing<Schema>(database: Database<Schema>): Service {
  return { name: "database", start: async () => undefined, stop: database.close };
}

type Serving = {
  readonly title: string;
  readonly port: number;
  readonly portVariable: string;
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  readonly routes: readonly Routes[];
  readonly corsOrigins?: readonly string[];
};

async function serve({ log, metrics, platform }: Context, serving: Serving): Promise<Service> {
  const server = await createHttpServer({
    name: serving.title,
    title: serving.title,
    version,
    log,
    metrics,
    authenticators: serving.authenticators,
    routes: serving.routes,
    trustedProxies: platform.SIGHTLINE_TRUSTED_PROXIES,
    ...(serving.corsOrigins === undefined ? {} : { corsOrigins: serving.corsOrigins }),
  });
  return listening(server, { host: platform.SIGHTLINE_HOST, port: serving.port, portVariable: serving.portVariable });
}
