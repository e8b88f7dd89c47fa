import { join } from "node:path";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { describeRing, resealAll } from "@sightline/foundation/secrets/reseal";
import type { HttpServer, Routes } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import type { MigrationSet } from "@sightline/foundation/database/migrations";
import { createAdmin, type AdminRequest } from "./accounts/create-admin.ts";
import { ensureFirstAdmin } from "./accounts/first-admin.ts";
import { createPasswordHasher, type PasswordHasher } from "./accounts/password-hash.ts";
import { peopleRoutes } from "./accounts/accounts.routes.ts";
import { auditRoutes } from "./audit/audit.routes.ts";
import type { AuditTimes } from "./audit/audit-chain.store.ts";
import { exportChain } from "./audit/export-audit.ts";
import { acceptRestore, describeRestore, type Acceptance } from "./audit/accept-restore.ts";
import { anchorNow, createAnchors } from "./audit/keep-anchors.ts";
import { createOutsideAnchor } from "./audit/outside-anchor.ts";
import { verifyAudit } from "./audit/verify-audit.ts";
import type { ChainExpectations } from "./audit/walk-chain.ts";
import { ensureTenant, listTenants } from "./accounts/tenant.store.ts";
import { administrationRoutes } from "./administration/administration.routes.ts";
import { policyRoutes } from "./administration/policy.routes.ts";
import { createHostCommands } from "./administration/host-commands.ts";
import type { IdentityConfig } from "./config.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { sealedPlaces } from "./keys/sealed-places.ts";
import { describeSigningKeys, rotateSigningKey } from "./keys/rotate-signing-key.ts";
import { keyRoutes } from "./keys/keys.routes.ts";
import { createSealer } from "./keys/sealed-values.ts";
import { createSigningKeys } from "./keys/signing-keys.ts";
import { loginRoutes, secondStepRoutes } from "./login/login.routes.ts";
import { openMailer } from "./mailer.ts";
import { noticeRoutes } from "./notices/notices.routes.ts";
import { createNotices } from "./notices/notices.ts";
import { createOutbox } from "./notices/outbox.ts";
import { fetchDocument as fetchPublicDocument, type FetchDocument } from "./oauth/fetch-document.ts";
import { authorizationServerRoutes, oauthProtocolRoutes, oauthRoutes } from "./oauth/oauth.routes.ts";
import { createOauthProvider } from "./oauth/provider.ts";
import { ownPasskeyRoutes, passkeyLoginRoutes } from "./factors/passkey/passkeys.routes.ts";
import { createRelyingParty } from "./factors/passkey/relying-party.ts";
import { recoveryRoutes } from "./recovery/recovery.routes.ts";
import type { IdentitySchema } from "./schema.ts";
import { scimAdminRoutes } from "./scim/admin.routes.ts";
import { scimRoutes } from "./scim/scim.routes.ts";
import { createScimAuthenticator } from "./scim/token.ts";
import { createAccessTokens } from "./session/access-token.ts";
import { issueCommandToken, type CommandTokenRequest } from "./session/command-token.ts";
import { createAuthenticators } from "./session/authenticators.ts";
import { createAttemptCookie, createRefreshCookie, createSetupCookie, keepsSecureCookies } from "./session/cookies.ts";
import { createKnownDevices } from "./session/known-devices.ts";
import { createRefreshTokens } from "./session/refresh-token.ts";
import { createSameOriginCheck } from "./session/same-origin.ts";
import { createCredentialEpochFeed } from "./session/credential-epochs.ts";
import { credentialEpochsRoutes, ownSessionsRoutes, sessionRoutes } from "./session/session.routes.ts";
import { createSessions } from "./session/sessions.ts";
import { createProofLookup } from "./sso/look-up-proof.ts";
import { createProviderClients } from "./sso/provider-clients.ts";
import { createDomainChecks } from "./sso/recheck-domains.ts";
import { ssoConfigurationRoutes } from "./sso/configure.routes.ts";
import { ssoRoutes } from "./sso/sso.routes.ts";
import { createStrangerLimit } from "./throttle/stranger-limit.ts";
import { createThrottle } from "./throttle/throttle.ts";
import { createWaitingRoom, realSleep, type Sleep } from "./throttle/waiting-room.ts";
import { adminSecondFactorRoutes } from "./factors/totp/admin-second-factor.routes.ts";
import { liftLocksOfADay } from "./factors/kit/code-tries.store.ts";
import { createCodes } from "./factors/kit/codes.ts";
import { createCodeKinds } from "./factors/registry.ts";
import { createExchange } from "./workload/exchange.ts";
import { createJobKeys } from "./workload/job-keys.ts";
import { workloadRoutes } from "./workload/workloads.routes.ts";
import { createSetupTickets } from "./factors/totp/setup-ticket.ts";

export type { IdentitySchema } from "./schema.ts";
export { readAnchorLine, type Anchor } from "./audit/anchor.ts";
export { outsideAnchorFile } from "./audit/outside-anchor.ts";

export const identityMigrations: MigrationSet = { part: "identity", folder: join(import.meta.dirname, "migrations") };

/** Passwords of strangers that are looked at at a time: half of libuv's threads, so that the others are there for owners. */
const STRANGERS_AT_ONCE = 2;

export type Identity = ReturnType<typeof createIdentity>;

type IdentityDependencies = {
  readonly config: IdentityConfig;
  readonly database: Database<IdentitySchema>;
  readonly log: Logger;
  readonly clock: Clock;
  /** Folder of this host, SIGHTLINE_HOME, in which the last signed end of the audit is kept; without it, it is kept in the database alone. */
  readonly home?: string | undefined;
  /** How requests wait while their account is being guessed at; for tests. */
  readonly sleep?: Sleep;
  /** How what an app says of itself is fetched; for tests. */
  readonly fetchDocument?: FetchDocument;
  /** For tests. */
  readonly hasher?: PasswordHasher;
};

/**
 * Accounts, logins, sessions and the keys that the other parts trust. All state is in the database: any number of
 * replicas may run.
 *
 * @example
 * const identity = createIdentity({ config, database, log, clock: systemClock });
 * await identity.start();
 * const { routes, authenticators } = identity;
 * const server = await createHttpServer({ name: "identity", title: "Identity", version, log, metrics, routes: [routes], authenticators });
 */
export function createIdentity({
  config,
  database,
  log,
  clock,
  home,
  sleep = realSleep,
  fetchDocument = fetchPublicDocument,
  hasher = createPasswordHasher(),
}: IdentityDependencies) {
  const queries = database.query;
  const publicUrl = config.PUBLIC_URL;
  const throttle = createThrottle({ queries, clock, waitingRoom: createWaitingRoom(sleep) });
  const sealer = createSealer(config.ENCRYPTION_KEYS);
  const keys = createSigningKeys({ queries, sealer, clock });
  const accessTokens = createAccessTokens({ keys, issuer: publicUrl, clock });
  const sessions = createSessions({ queries, accessTokens, refreshTokens: createRefreshTokens(config.SECRET_KEY), clock });
  const cookie = createRefreshCookie(publicUrl);
  const accounts = { queries, hasher, clock };
  const mailer = openMailer(config);
  const mailed = mailer !== undefined;
  const notices = createNotices({ sealer, mailed });
  const outbox = mailed ? createOutbox({ queries, sealer, mailer, publicUrl, log, clock }) : undefined;
  const codes = createCodes({ queries, notices, clock, kinds: createCodeKinds({ sealer, clock, window: config.TOTP_WINDOW }) });
  const devices = createKnownDevices({ queries, clock, publicUrl });
  const login = { ...accounts, throttle, sessions, cookie, devices, strangerLimit: createStrangerLimit(STRANGERS_AT_ONCE) };
  const administered = {
    ...accounts,
    throttle,
    sessions,
    codes,
    sealer,
    notices,
    tickets: createSetupTickets({ sealer, clock }),
    window: config.TOTP_WINDOW,
    cookie: createSetupCookie(publicUrl),
    refreshCookie: cookie,
  };
  const passkeys = { ...login, notices, relyingParty: createRelyingParty(publicUrl) };
  const places = sealedPlaces({ queries, sealer, clock });
  const feed = createCredentialEpochFeed({ queries, keys, issuer: publicUrl, clock });
  const audited = { queries, sealer, clock, outside: createOutsideAnchor({ home, log }) };
  const anchors = createAnchors({ ...audited, log, file: config.AUDIT_ANCHOR_FILE, url: config.AUDIT_ANCHOR_URL });
  const housekeeping = createHousekeeping({ queries, sealer, log, clock });
  const administration = { ...accounts, notices, mailed, publicUrl };
  const recovery = {
    ...accounts,
    throttle,
    devices,
    notices,
    liftLocks: liftLocksOfADay,
    publicUrl,
    mailed,
    registration: config.REGISTRATION,
  };

  const clients = createProviderClients({ sealer, clock, allowed: config.IDENTITY_ALLOW_PRIVATE_HOSTS });
  const jobKeys = createJobKeys({ clients, allowed: config.IDENTITY_ALLOW_PRIVATE_HOSTS });
  const granting = {
    exchange: createExchange({ queries, keys, jobKeys, publicUrl, clock }),
    queries,
    keys,
    sealer,
    notices,
    throttle,
    fetchDocument,
    secretKey: config.SECRET_KEY,
    publicUrl,
    codeIndexUrl: config.CODEINDEX_PUBLIC_URL,
    log,
    clock,
  };
  const sso = {
    ...login,
    sealer,
    clients,
    lookUpProof: createProofLookup(config.IDENTITY_DNS_SERVERS),
    publicUrl,
    log,
    attemptCookie: createAttemptCookie(publicUrl),
  };
  const domainChecks = createDomainChecks({ ...sso, notices });
  const oauth = { ...granting, provider: createOauthProvider(granting) };
  /** Each in a scope of its own, since some of them read bodies in their own way. */
  const privateRoutes: readonly Routes[] = [
    loginRoutes(login),
    secondStepRoutes({ ...login, codes }),
    passkeyLoginRoutes(passkeys),
    ownPasskeyRoutes(passkeys),
    ssoRoutes(sso),
    ssoConfigurationRoutes({ ...administration, ...sso }),
    scimAdminRoutes(administration),
    workloadRoutes(administration),
    scimRoutes({ ...accounts, throttle, publicUrl, log }),
    sessionRoutes({ sessions, cookie }),
    adminSecondFactorRoutes(administered),
    ownSessionsRoutes({ queries, clock, devices }),
    administrationRoutes(administration),
    policyRoutes(administration),
    peopleRoutes({ queries }),
    recoveryRoutes(recovery),
    noticeRoutes({ queries, clock }),
    auditRoutes(audited),
    oauthProtocolRoutes(oauth),
    oauthRoutes(oauth),
  ];

  return {
    /** The API of port 8070. Needs `authenticators`. */
    routes: async (server: HttpServer): Promise<void> => {
      await server.register(async (scope: typeof server) => {
        scope.addHook("onRequest", async (_request, reply) => void reply.header("cache-control", "no-store"));
        for (const routes of privateRoutes) {
          await scope.register(async (inner: typeof server) => routes(inner));
        }
      });
      keyRoutes({ keys })(server);
      authorizationServerRoutes(publicUrl)(server);
      credentialEpochsRoutes(feed)(server);
    },
    authenticators: {
      ...createAuthenticators({ queries, accessTokens, clock }),
      scim: createScimAuthenticator({ queries, clock }),
      "same-origin": createSameOriginCheck([publicUrl, ...config.CORS_ORIGINS]),
    },
    /**
     * Makes or reads the signing key, so that a key ring that does not open it shows before the first login; begins to send
     * mail, where there is a mail server.
     */
    start: async (): Promise<void> => {
      if (config.ENVIRONMENT === "production" && !keepsSecureCookies(publicUrl)) {
        log.warn({ publicUrl }, "PUBLIC_URL has no TLS: passwords and sessions can be read on the way. Put https in front.");
      }
      await keys.active();
      housekeeping.start();
      anchors.start();
      domainChecks.start();
      outbox?.start();
    },
    stop: async (): Promise<void> => {
      await Promise.all([housekeeping.stop(), anchors.stop(), domainChecks.stop(), outbox?.stop()]);
    },
    checks: [database.check, { name: "signing-key", check: async () => void (await keys.active()) }, anchors.check],
    /** Signs the end of the audit, the empty one of a new database too: what is there before the first signature is never believed. */
    signAudit: anchors.sign,
    /** The first admin, if this call made it. Its one-time password is told here and never again. */
    ensureFirstAdmin: () => ensureFirstAdmin(accounts, config),
    ensureTenant: (name: string) => ensureTenant(queries, name, clock.now()),
    listTenants: () => listTenants(queries),
    /** @throws {AppError} 400, 404 `unknown_tenant`, 409 `email_taken`. */
    createAdmin: (request: AdminRequest) => createAdmin(accounts, request),
    keys: {
      /** The ring of `ENCRYPTION_KEYS` with how much each key has sealed, and the published signing keys. */
      status: async () => ({
        ring: await describeRing(sealer.keyIds, places),
        signing: await describeSigningKeys({ queries, clock }),
      }),
      /** Seals everything anew that the ring's first key has not sealed; audited. */
      reseal: () => resealAll(sealer, places),
      /** Publishes the next signing key, which begins to sign 15 minutes later; audited. One that already waits for its time is answered instead. */
      rotateSigningKey: () => rotateSigningKey({ queries, sealer, clock }),
    },
    /** The commands of the host on accounts of any tenant; audited without an actor. */
    host: createHostCommands(administration),
    /** Recomputes the audit's chain, and compares it with what was noted earlier. */
    verifyAudit: (expected?: ChainExpectations) => verifyAudit(audited, expected),
    /** The present end of the chain, signed, as a line to keep elsewhere. */
    anchorAudit: () => anchorNow(audited),
    /** Describes what an operator would accept with `acceptRestore`. */
    describeRestore: () => describeRestore(audited),
    /** Takes the audit for what it is now, as after the restore of a backup; audited, and signed. */
    acceptRestore: (acceptance: Acceptance) => acceptRestore(audited, acceptance),
    /** The whole audit with its hashes, one row of JSON a line; reads on as it is read from. */
    exportAudit: (times: AuditTimes) => exportChain(queries, times),
    /** An access token of ten minutes for a command on the host; audited. */
    issueCommandToken: (request: CommandTokenRequest) => issueCommandToken({ queries, keys, issuer: publicUrl, clock }, request),
  };
}
