import { createCodeIndexApi } from "@sightline/code-index";
import { codeIndexVariables } from "@sightline/code-index/settings";
import { createAccessTokenVerifier } from "@sightline/foundation/http/access-token";
import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { watchMailVariables } from "#settings/roles.ts";
import { version } from "#settings/version.ts";
import type { IdentitySchema } from "@sightline/identity";
import { createStandings, findGoneAccounts, findOwnAddress } from "@sightline/identity/standing";
import { serve, type Context } from "./context.ts";
import { type DatabaseOf, closing, openDatabase } from "./database.ts";
import { offerTraces } from "./trace-tools.ts";

export async function composeCodeIndex(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock, metrics } = context;
  const config = readConfig(codeIndexVariables, environment);
  const database = openDatabase<DatabaseOf<typeof createCodeIndexApi>>(
    context,
    "code-index",
    config.CODEINDEX_DATABASE_URL,
    config.CODEINDEX_DATABASE_POOL_SIZE,
    config.CODEINDEX_DATABASE_KEEPS_PLANS,
  );
  const epochsUrl = config.CODEINDEX_JWT_EPOCHS_URL;
  const accounts = epochsUrl === undefined ? undefined : await openAccounts(context);
  const accessTokens = createAccessTokenVerifier({
    log,
    findStanding: accounts?.findStanding,
    jwksUrl: config.CODEINDEX_JWT_JWKS_URL,
    audience: config.CODEINDEX_JWT_AUDIENCE,
    issuer: config.CODEINDEX_JWT_ISSUER,
    // Only Sightline's own identity has a feed, lets apps in, and writes tokens of a type of their own.
    ...(epochsUrl === undefined
      ? {}
      : {
          appAudience: `${config.CODEINDEX_PUBLIC_URL}/mcp`,
          workloads: true,
          type: "at+jwt",
          epochs: { url: epochsUrl, metrics: metrics.registry },
        }),
  });
  // Observability does not know the callers of another identity provider.
  const traces = epochsUrl === undefined ? undefined : offerTraces(context);
  const authorizationServer = epochsUrl === undefined ? undefined : config.CODEINDEX_JWT_ISSUER;
  const api = createCodeIndexApi({
    config,
    database,
    log,
    clock,
    metrics,
    accessTokens,
    version,
    authorizationServer,
    plugin: traces?.plugin,
    people: accounts?.people,
    findStanding: accounts?.findStanding,
  });
  const http = await serve(context, {
    title: "Sightline code index",
    port: config.CODEINDEX_PORT,
    portVariable: "CODEINDEX_PORT",
    authenticators: api.authenticators,
    routes: api.routes,
  });
  return [
    closing(database),
    ...(traces?.services ?? []),
    { name: "access tokens", start: accessTokens.start, stop: accessTokens.stop },
    ...(accounts === undefined ? [] : [closing(accounts.database)]),
    { name: "code-index", start: api.start, stop: api.stop },
    http,
  ];
}

const ACCOUNTS_POOL_SIZE = 2;

/** Opens the accounts of those who hold tokens or save searches, and the way to mail them; undefined where the accounts are elsewhere. The mailer is loaded only where there is a mail server. */
async function openAccounts(context: Context) {
  const config = readConfig(watchMailVariables, context.environment);
  if (config.DATABASE_URL === undefined) {
    return undefined;
  }
  const database = openDatabase<IdentitySchema>(context, "watch-accounts", config.DATABASE_URL, ACCOUNTS_POOL_SIZE);
  const findStanding = createStandings(database.query);
  const mailer = config.SMTP_URL === undefined ? undefined : (await import("@sightline/identity/mailer")).openMailer(config);
  const mailing = mailer && {
    send: mailer.send,
    addressOf: async (tenantId: string, userId: string, repoId: string) =>
      (await findStanding(userId))?.hidden.includes(repoId) === true ? undefined : findOwnAddress(database.query, tenantId, userId),
    publicUrl: config.PUBLIC_URL,
  };
  const people = { findGone: (userIds: readonly string[]) => findGoneAccounts(database.query, userIds), mailing };
  return { database, people, findStanding };
}
