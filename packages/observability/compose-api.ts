import type { Check } from "@sightline/foundation/health";
import type { Authenticator, Routes } from "@sightline/foundation/http-server";
import { alertRoutes } from "./alerts/alerts.routes.ts";
import { createBackendLoad } from "./alerts/backend-load.ts";
import { registerDatabaseConnections } from "./alerts/database-connections.ts";
import { createKeyAuthenticators } from "./keys/authenticators.ts";
import { keyRoutes } from "./keys/keys.routes.ts";
import { createKnownKeys } from "./keys/known-keys.ts";
import { createOtlpIntake } from "./otlp/otlp-intake.ts";
import { createApi, type ApiOptions } from "./query/api.ts";

export type ObservabilityApi = {
  /** `/health`, `/health/detailed`, `/api/v1/…` and `/v1/traces` of port 8000. Needs `authenticators`. */
  readonly routes: Routes;
  /**
   * `user`: an access token; `admin-or-operator`: an admin's access token, or the API_KEY; `user-or-key`: an access token, or
   * a project's API key that may read; `ingest`: a project's API key that may send.
   */
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  /** Connects to Redis; one that is away is waited for in the background. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/** The rooms that the API is made of. */
export function composeApi(options: ApiOptions, heartbeatKey: string): ObservabilityApi {
  const { database, clock, log, metrics } = options;
  const { query } = database;
  const api = createApi(options, heartbeatKey);
  const intake = createOtlpIntake(options);
  const findKey = createKnownKeys({ query, clock, log });
  const load = createBackendLoad({ metrics, clock });
  registerDatabaseConnections(metrics, database);
  return {
    routes: async (server) => {
      await api.routes(server);
      keyRoutes({ query, clock })(server);
      alertRoutes({ database, metrics, clock })(server);
      await intake.routes(server);
    },
    authenticators: { ...api.authenticators, ...createKeyAuthenticators({ findKey, user: api.authenticators.user }) },
    start: async () => {
      load.start();
      await Promise.all([api.start(), intake.start()]);
    },
    stop: async () => {
      load.stop();
      await Promise.all([api.stop(), intake.stop()]);
    },
    checks: api.checks,
  };
}
