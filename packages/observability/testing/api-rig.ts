import { AccessTokenError, type AccessTokenVerifier } from "@sightline/foundation/http/access-token";
import { systemClock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import type { Alarm } from "@sightline/foundation/repeat";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { Accounts } from "#accounts.ts";
import type { Mailing } from "#alerts/project/tell-channel.ts";
import { composeApi } from "#compose-api.ts";
import { LIVE_TUNING, type LiveTuning } from "#query/live/live-hub.ts";
import type { ObservabilitySchema } from "#schema.ts";

export const API_KEY = `studio_${"ab".repeat(32)}`;

/** Of these tests: alerts may be sent to receivers on this machine. */
export const ALERT_CONFIG = {
  ENCRYPTION_KEYS: [{ id: "k1", secret: "x".repeat(43) }],
  PUBLIC_URL: "https://sightline.example.org",
  OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: true,
  OBSERVABILITY_ALLOW_MODEL_HOSTS: ["127.0.0.1"],
} as const;

/** Tokens that have run out, and such as were ended early. */
export const tokensOver = { expired: new Set<string>(), ended: new Set<string>() };

/** Who the tokens of these tests belong to: `tenant-1:admin`, `tenant-2:member`, `tenant-1:member:<their id>`, … */
const accessTokens: AccessTokenVerifier = {
  verify: async (token, at) => {
    if (tokensOver.ended.has(token) || (tokensOver.expired.has(token) && at === undefined)) {
      throw new AccessTokenError("the access token has ended");
    }
    const [, tenantId, role, subject = "user-1"] = /^(tenant-\d):(admin|member)(?::([\w-]+))?$/.exec(token) ?? [];
    if (tenantId === undefined || (role !== "admin" && role !== "member")) {
      throw new AccessTokenError("the access token is not valid");
    }
    const now = new Date();
    return { subject, tenantId, role, issuedAt: now, authenticatedAt: now, sessionId: undefined, epoch: undefined };
  },
};

type ApiRigOptions = {
  readonly database: Database<ObservabilitySchema>;
  readonly redisUrl: string;
  readonly stream: string;
  /** Partitions; 1 by default. */
  readonly streams?: number;
  readonly heartbeatKey: string;
  readonly publicRedisUrl?: string | undefined;
  readonly live?: Partial<LiveTuning>;
  /** Whether alerts may be sent to receivers on this machine; true by default. */
  readonly allowPrivateWebhooks?: boolean;
  readonly alarm?: Alarm;
  readonly mailing?: Mailing;
  readonly accounts?: Accounts;
  readonly grpcPort?: number;
};

export type ServedRoute = { readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; readonly url: string; readonly auth: string };

type Send = (url: string, payload: object, token?: string) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

export type ApiRig = {
  readonly server: HttpServer;
  /** Every route of the part, with its auth class. */
  readonly routes: readonly ServedRoute[];
  readonly get: (url: string, token?: string) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly close: () => Promise<void>;
};

export async function createApiRig({
  database,
  redisUrl,
  stream,
  streams = 1,
  heartbeatKey,
  publicRedisUrl,
  live,
  allowPrivateWebhooks = true,
  alarm,
  mailing,
  accounts,
  grpcPort,
}: ApiRigOptions): Promise<ApiRig> {
  const metrics = createMetrics("test");
  const config = {
    ...ALERT_CONFIG,
    OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: allowPrivateWebhooks,
    API_KEY,
    OBSERVABILITY_REDIS_URL: redisUrl,
    OBSERVABILITY_STREAM_NAME: stream,
    OBSERVABILITY_STREAMS: streams,
    OBSERVABILITY_PUBLIC_URL: "https://traces.example.org",
    OBSERVABILITY_PUBLIC_REDIS_URL: publicRedisUrl,
  };
  const grpc = grpcPort === undefined ? undefined : { host: "127.0.0.1", port: grpcPort };
  const api = composeApi(
    { config, database, log: silentLog, clock: systemClock, accessTokens, version: "1.2.3", metrics, alarm, mailing, accounts, grpc },
    heartbeatKey,
    {
      ...LIVE_TUNING,
      ...live,
    },
  );
  await api.start();
  const routes: ServedRoute[] = [];
  const server = await createHttpServer({
    name: "observability",
    title: "Observability",
    version: "1.2.3",
    log: silentLog,
    metrics,
    authenticators: api.authenticators,
    routes: [
      async (scope) => {
        scope.addHook("onRoute", ({ method, url, config: { auth = "" } = {} }) => {
          if (method !== "HEAD") {
            routes.push({ method: method as ServedRoute["method"], url, auth });
          }
        });
        await api.routes(scope);
      },
    ],
  });
  const headersOf = (token: string) => (token === "" ? {} : { authorization: `Bearer ${token}` });
  const sending =
    (method: "POST" | "PUT" | "PATCH"): Send =>
    async (url, payload, token = "tenant-1:member") => {
      const answer = await server.inject({ method, url, payload, headers: headersOf(token) });
      return { status: answer.statusCode, body: answer.body === "" ? {} : answer.json() };
    };
  return {
    server,
    routes,
    get: async (url, token = "tenant-1:member") => {
      const answer = await server.inject({ url, headers: headersOf(token) });
      return { status: answer.statusCode, body: answer.json() };
    },
    post: sending("POST"),
    put: sending("PUT"),
    patch: sending("PATCH"),
    close: async () => {
      await server.close();
      await api.stop();
    },
  };
}
