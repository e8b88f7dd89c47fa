import { join } from "node:path";
import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database";
import type { Check } from "@sightline/foundation/health";
import type { Authenticator, Routes } from "@sightline/foundation/http-server";
import type { Logger } from "@sightline/foundation/log";
import type { MigrationSet } from "@sightline/foundation/migrations";
import { createAdmin, type AdminRequest } from "./accounts/create-admin.ts";
import { ensureFirstAdmin, type FirstAdmin } from "./accounts/first-admin.ts";
import { createPasswordHasher } from "./accounts/password-hash.ts";
import { registrationRoutes } from "./accounts/register.routes.ts";
import { ensureTenant, listTenants, type Tenant } from "./accounts/tenant.store.ts";
import type { IdentityConfig } from "./config.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { keyRoutes } from "./keys/keys.routes.ts";
import { createSealer } from "./keys/sealing.ts";
import { createSigningKeys } from "./keys/signing-keys.ts";
import { loginRoutes } from "./login/login.routes.ts";
import { secondStepRoutes } from "./login/second-step.routes.ts";
import { createNotices } from "./notices/notices.ts";
import type { IdentitySchema } from "./schema.ts";
import { createAccessTokens } from "./session/access-token.ts";
import { issueCommandToken, type CommandTokenRequest } from "./session/command-token.ts";
import { createAuthenticators } from "./session/authenticators.ts";
import { createRefreshCookie, keepsSecureCookies } from "./session/refresh-cookie.ts";
import { createRefreshTokens } from "./session/refresh-token.ts";
import { createSameOriginCheck } from "./session/same-origin.ts";
import { sessionRoutes } from "./session/session.routes.ts";
import { createSessions } from "./session/sessions.ts";
import { createThrottle } from "./throttle/throttle.ts";
import { adminSecondFactorRoutes } from "./totp/admin-second-factor.routes.ts";
import { createSecondFactor } from "./totp/second-factor.ts";
import { createSetupCookie } from "./totp/setup-cookie.ts";
import { createSetupTickets } from "./totp/setup-ticket.ts";

export { identityVariables, type IdentityConfig } from "./config.ts";
export type { IdentitySchema } from "./schema.ts";

export const identityMigrations: MigrationSet = { part: "identity", folder: join(import.meta.dirname, "migrations") };

export type Identity = {
  /** The API of port 8070. Needs `authenticators`. */
  readonly routes: Routes;
  /** `POST /api/v1/auth/register`, for observability's port. Needs no `start`. */
  readonly registrationRoutes: Routes;
  /** `same-origin`, `session`, `session-or-password-change`, `admin`. */
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  /** Makes or reads the signing key, so that a key ring that does not open it shows before the first login. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
  /** The first admin, if this call made it. Its one-time password is told here and never again. */
  readonly ensureFirstAdmin: () => Promise<FirstAdmin | undefined>;
  readonly ensureTenant: (name: string) => Promise<Tenant>;
  readonly listTenants: () => Promise<readonly Tenant[]>;
  /** @throws {AppError} 400, 404 `unknown_tenant`, 409 `email_taken`. */
  readonly createAdmin: (request: AdminRequest) => Promise<{ readonly email: string; readonly oneTimePassword: string | undefined }>;
  /** An access token of ten minutes for a command on the host; audited. */
  readonly issueCommandToken: (request: CommandTokenRequest) => Promise<string>;
};

type IdentityDependencies = {
  readonly config: IdentityConfig;
  readonly database: Database<IdentitySchema>;
  readonly log: Logger;
  readonly clock: Clock;
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
export function createIdentity({ config, database, log, clock }: IdentityDependencies): Identity {
  const queries = database.query;
  const publicUrl = config.PUBLIC_URL;
  const hasher = createPasswordHasher();
  const throttle = createThrottle({ queries, clock });
  const sealer = createSealer(config.ENCRYPTION_KEYS);
  const keys = createSigningKeys({ queries, sealer, clock });
  const accessTokens = createAccessTokens({ keys, issuer: publicUrl, clock });
  const sessions = createSessions({ queries, accessTokens, refreshTokens: createRefreshTokens(config.SECRET_KEY), clock });
  const cookie = createRefreshCookie(publicUrl);
  const accounts = { queries, hasher, clock };
  const notices = createNotices({ sealer, mailed: false });
  const secondFactor = createSecondFactor({ queries, sealer, notices, clock, window: config.TOTP_WINDOW });
  const login = { ...accounts, throttle, sessions, cookie };
  const administered = {
    ...accounts,
    throttle,
    secondFactor,
    sealer,
    notices,
    tickets: createSetupTickets({ sealer, clock }),
    window: config.TOTP_WINDOW,
    cookie: createSetupCookie(publicUrl),
  };
  const housekeeping = createHousekeeping({ queries, log, clock });

  return {
    routes: async (server) => {
      await server.register(async (scope: typeof server) => loginRoutes(login)(scope));
      await server.register(async (scope: typeof server) => secondStepRoutes({ ...login, secondFactor })(scope));
      await server.register(async (scope: typeof server) => sessionRoutes({ sessions, cookie })(scope));
      await server.register(async (scope: typeof server) => adminSecondFactorRoutes(administered)(scope));
      keyRoutes({ keys, publicUrl })(server);
    },
    registrationRoutes: registrationRoutes({ ...accounts, throttle, registration: config.REGISTRATION }),
    authenticators: {
      ...createAuthenticators({ queries, accessTokens, clock }),
      "same-origin": createSameOriginCheck([publicUrl, ...config.CORS_ORIGINS]),
    },
    start: async () => {
      if (config.ENVIRONMENT === "production" && !keepsSecureCookies(publicUrl)) {
        log.warn({ publicUrl }, "PUBLIC_URL has no TLS: passwords and sessions can be read on the way. Put https in front.");
      }
      await keys.active();
      housekeeping.start();
    },
    stop: () => housekeeping.stop(),
    checks: [database.check, { name: "signing-key", check: async () => void (await keys.active()) }],
    ensureFirstAdmin: () => ensureFirstAdmin(accounts, { email: config.ADMIN_EMAIL, password: config.ADMIN_PASSWORD }),
    ensureTenant: (name) => ensureTenant(queries, name, clock.now()),
    listTenants: () => listTenants(queries),
    createAdmin: (request) => createAdmin(accounts, request),
    issueCommandToken: (request) => issueCommandToken({ queries, keys, issuer: publicUrl, clock }, request),
  };
}
