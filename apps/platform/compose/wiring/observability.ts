import type { Database } from "@sightline/foundation/database/database";
import { createAccessTokenVerifier } from "@sightline/foundation/http/access-token";
import { readConfig, type ConfigOf } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { createRegistration } from "@sightline/identity/registration";
import { createTelling } from "@sightline/identity/telling";
import { identityVariables } from "@sightline/identity/settings";
import { createStandings } from "@sightline/identity/standing";
import { createObservabilityApi } from "@sightline/observability";
import { observabilityVariables } from "@sightline/observability/settings";
import { version } from "#settings/version.ts";
import { serve, type Context } from "./context.ts";
import { type DatabaseOf, closing, openDatabase } from "./database.ts";

/** All three APIs have the same token audience. */
const TOKEN_AUDIENCE = "sightline";

/** Small, since registrations are rare. */
const REGISTRATION_POOL_SIZE = 2;

/** Serves identity's registration too, which its contract puts on this port. */
export async function composeObservability(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock, metrics } = context;
  const config = readConfig(observabilityVariables, environment);
  const identityConfig = readConfig(identityVariables, environment);
  const poolSize = identityConfig.DATABASE_POOL_SIZE;
  const url = config.OBSERVABILITY_DATABASE_URL ?? config.DATABASE_URL;
  const database = openDatabase<DatabaseOf<typeof createObservabilityApi>>(context, "observability", url, poolSize);
  const accounts = openDatabase<DatabaseOf<typeof createRegistration>>(
    context,
    "registration",
    identityConfig.DATABASE_URL,
    REGISTRATION_POOL_SIZE,
  );
  const epochsUrl = config.IDENTITY_EPOCHS_URL;
  const findStanding = epochsUrl === undefined ? undefined : createStandings(accounts.query);
  const accessTokens = createAccessTokenVerifier({
    log,
    jwksUrl: config.IDENTITY_JWKS_URL,
    audience: TOKEN_AUDIENCE,
    issuer: identityConfig.PUBLIC_URL,
    workloads: true,
    type: "at+jwt",
    epochs: epochsUrl === undefined ? undefined : { url: epochsUrl, metrics: metrics.registry },
    findStanding,
  });
  const mailing = await openMailing(identityConfig, accounts.query);
  const telling = createTelling({ queries: accounts.query, mailed: mailing !== undefined });
  const grpc = config.OTLP_GRPC_PORT === undefined ? undefined : { host: context.platform.SIGHTLINE_HOST, port: config.OTLP_GRPC_PORT };
  const api = createObservabilityApi({
    config,
    database,
    log,
    clock,
    accessTokens,
    version,
    metrics,
    mailing,
    grpc,
    findStanding,
    accounts: telling,
  });
  const registration = createRegistration({ config: identityConfig, database: accounts, clock });
  const http = await serve(context, {
    title: "Sightline observability",
    port: config.OBSERVABILITY_PORT,
    portVariable: "OBSERVABILITY_PORT",
    authenticators: api.authenticators,
    routes: [api.routes, registration],
    corsOrigins: config.CORS_ORIGINS,
  });
  return [
    closing(database),
    closing(accounts),
    { name: "access tokens", start: accessTokens.start, stop: accessTokens.stop },
    { name: "observability", start: api.start, stop: api.stop },
    http,
  ];
}

/** Alerts go by the operator's mail server; what sends is loaded only where there is one. */
async function openMailing(config: ConfigOf<typeof identityVariables>, accounts: Database<DatabaseOf<typeof createRegistration>>["query"]) {
  if (config.SMTP_URL === undefined) {
    return undefined;
  }
  const { isOwnAddress, openMailer } = await import("@sightline/identity/mailer");
  const mailer = openMailer(config);
  return mailer === undefined
    ? undefined
    : { send: mailer.send, isOwnAddress: (tenantId: string, address: string) => isOwnAddress(accounts, tenantId, address) };
}
