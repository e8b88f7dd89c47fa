import { createHash, timingSafeEqual } from "node:crypto";
import cookie from "@fastify/cookie";
import helmet from "@fastify/helmet";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteOptions,
} from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { v7 as uuidv7 } from "uuid";
import { apiDescription } from "./api-description.ts";
import { endEarlyAnswer } from "./early-answer.ts";
import { handleError, handleNotFound } from "./http-errors.ts";
import { refusal } from "#errors.ts";
import type { Logger } from "#log.ts";
import type { Metrics } from "./metrics.ts";
import { answerUnreadable } from "./unreadable-request.ts";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const ALLOWED_METHODS = "GET, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS = "authorization, content-type, x-api-key";
const PREFLIGHT_SECONDS = "600";

/**
 * Lets browsers call from the listed origins and no others; matched as a whole, never by pattern.
 * Registered before the guard of the routes, since a browser's preflight carries no credential.
 */
function allowOrigins(server: Pick<FastifyInstance, "addHook">, origins: readonly string[]): void {
  if (origins.length === 0) {
    return;
  }
  server.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    reply.header("vary", "Origin");
    if (origin === undefined || !origins.includes(origin)) {
      return;
    }
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "x-request-id",
    });
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      reply.headers({
        "access-control-allow-methods": ALLOWED_METHODS,
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": PREFLIGHT_SECONDS,
      });
      await reply.status(204).send();
    }
  });
}

/** Smaller answers are not worth compressing, since headers are most of what is sent. */
const WORTH_BYTES = 1024;
/** Level 3 takes half the time of zlib's default, for a few percent more bytes. */
const LEVEL = 3;

const compress = promisify(gzip);

/**
 * Compresses larger answers for clients that accept it. Only when the request carried a credential that no other site
 * can make a browser send: otherwise the length of a compressed answer could reveal a secret in it.
 */
function compressAnswers(server: Pick<FastifyInstance, "addHook">): void {
  server.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length < WORTH_BYTES || reply.hasHeader("content-encoding")) {
      return payload;
    }
    if (request.headers.authorization === undefined || !/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
      return payload;
    }
    reply.headers({ "content-encoding": "gzip", vary: [reply.getHeader("vary"), "Accept-Encoding"].filter(Boolean).join(", ") });
    reply.removeHeader("content-length");
    return compress(payload, { level: LEVEL });
  });
}

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Routes of a part: a Fastify plugin with zod schemas. */
export type Routes = (server: HttpServer) => Promise<void> | void;

/** Refuses a request by throwing, or lets it through, setting its principal where there is one. */
export type Authenticator = (request: FastifyRequest) => Promise<void>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Which of the server's authenticators guards the route. Required on every route. */
    auth?: string;
  }
}

type HttpServerOptions = {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Where strangers reach the server: `/metrics` is shown to whoever sends this token, and to nobody when it is undefined. */
  readonly metricsOnlyFor?: { readonly token: string | undefined };
  /** By the name that routes put into `config.auth`; `public` is always there. */
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  readonly routes: readonly Routes[];
  /** The most bytes of a request's body, unless a route says otherwise. */
  readonly bodyLimit?: number;
  /** Reverse proxies whose X-Forwarded-For is believed: addresses, ranges or `loopback`. */
  readonly trustedProxies?: readonly string[];
  /** Exact origins that browsers may call from. */
  readonly corsOrigins?: readonly string[];
};

const BODY_LIMIT = 1024 * 1024;
const REQUEST_MS = 30_000;

/**
 * The one way a part serves HTTP: zod in and out (what a response schema does not declare does not leave),
 * an auth class on every route or the server does not start, a request id on every answer,
 * `/docs` (OpenAPI 3.1) and `/metrics`.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server: HttpServer = fastify<RawServerDefault>({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    requestTimeout: REQUEST_MS,
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    genReqId: () => uuidv7(),
    // Addresses that cannot be read never get as far as a route and its hooks.
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      endEarlyAnswer(request, reply);
      handleError(error, request, reply);
    },
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: "idle",
    return503OnClosing: true,
    routerOptions: { maxParamLength: 512 },
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(handleError);
  server.setNotFoundHandler(handleNotFound);
  allowOrigins(server, options.corsOrigins ?? []);
  const checkGuards = guardRoutes(server, options.authenticators);
  recordRequests(server, options.metrics);
  compressAnswers(server);
  server.addHook("onSend", async (request, reply) => endEarlyAnswer(request, reply));

  await server.register(helmet, {
    // Other hosts below this name may be a company's own, over plain HTTP: whoever wants them in says so at the reverse proxy.
    strictTransportSecurity: { includeSubDomains: false },
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        upgradeInsecureRequests: null,
      },
    },
  });
  await server.register(cookie);
  await server.register(swagger, apiDescription(options.title, options.version));
  await server.register(openApiPages, options);
  serveMetrics(server, options);
  for (const routes of options.routes) {
    await server.register(async (scope: HttpServer) => {
      await routes(scope);
    });
  }
  checkGuards();
  return server;
}

const openApiPages: FastifyPluginAsync<HttpServerOptions> = async (scope) => {
  scope.addHook("onRoute", (route) => {
    route.config = { ...route.config, auth: "public" };
  });
  await scope.register(swaggerUi, { routePrefix: "/docs" });
};

/**
 * Guards every route by its auth class. Returns a check that each route has one, to be called when all are registered:
 * the API's own pages set theirs in a later hook.
 */
function guardRoutes(server: HttpServer, authenticators: Readonly<Record<string, Authenticator>>): () => void {
  const known: Readonly<Record<string, Authenticator>> = { public: async () => undefined, ...authenticators };
  const routes: RouteOptions[] = [];
  server.addHook("onRoute", (route) => void routes.push(route));
  server.addHook("onRequest", async (request) => {
    const auth = request.routeOptions.config.auth;
    if (auth !== undefined) {
      await known[auth]?.(request);
    }
  });
  const check = () => {
    for (const { method, url, config } of routes) {
      if (config?.auth === undefined || known[config.auth] === undefined) {
        throw new Error(`${String(method)} ${url} needs config.auth, one of: ${Object.keys(known).join(", ")}`);
      }
    }
  };
  server.addHook("onReady", async () => check());
  return check;
}

function recordRequests(server: HttpServer, metrics: Metrics): void {
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  server.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.httpDuration.observe(labels, reply.elapsedTime / 1000);
    request.log.debug({ ...labels, ms: Math.round(reply.elapsedTime) }, "answered");
  });
}

function serveMetrics(
  server: HttpServer,
  { metrics: { registry }, metricsOnlyFor }: Pick<HttpServerOptions, "metrics" | "metricsOnlyFor">,
): void {
  server.get("/metrics", { config: { auth: "public" }, schema: { hide: true } }, async (request, reply) => {
    if (metricsOnlyFor !== undefined && !isBearer(request, metricsOnlyFor.token)) {
      throw refusal(404, "not_found", "Metrics are shown here with Authorization: Bearer and the operator's METRICS_TOKEN alone.");
    }
    reply.header("content-type", registry.contentType);
    return registry.metrics();
  });
}

function isBearer(request: FastifyRequest, token: string | undefined): boolean {
  const hashOf = (text: string) => createHash("sha256").update(text).digest();
  return token !== undefined && timingSafeEqual(hashOf(request.headers.authorization ?? ""), hashOf(`Bearer ${token}`));
}
