import httpProxy from "@fastify/http-proxy";
import { z } from "zod";
import { refusal } from "@sightline/foundation/errors";
import type { HttpServer, Routes } from "@sightline/foundation/http/http-server";

export type Upstream = {
  /** Path under which the console's own origin serves it, e.g. `/api/identity`. */
  readonly prefix: string;
  readonly name: string;
  readonly url: string;
  /** The path that replaces the prefix at the upstream; none by default. */
  readonly upstreamPrefix?: string;
  /** Whether only GET is forwarded. */
  readonly readOnly?: boolean;
  /** Whether requests of the console's own pages lose their `Origin`, for an upstream that only accepts origins it knows. */
  readonly pagesMayCall?: boolean;
};

/** The longest silence of an upstream; an event stream has no limit. */
const SILENCE_MS = 35_000;

/**
 * Serves the three APIs on the console's own origin, so that browsers need no CORS and the cookie stays first-party.
 * The path after the prefix is unchanged, bodies and event streams are streamed.
 */
export function proxyRoutes(upstreams: readonly Upstream[]): Routes {
  return async (server) => {
    for (const upstream of upstreams) {
      await server.register(async (scope: HttpServer) => proxyTo(scope, upstream));
    }
  };
}

/** The path after the prefix, as the upstream will read it. Metrics are for the operator, not for everyone who reaches the console. */
const wildcardSchema = z.object({ "*": z.string() });

async function proxyTo(
  scope: HttpServer,
  { prefix, name, url, upstreamPrefix = "/", readOnly = false, pagesMayCall = false }: Upstream,
): Promise<void> {
  await scope.register(httpProxy, {
    upstream: url,
    prefix,
    rewritePrefix: upstreamPrefix,
    ...(readOnly ? { httpMethods: ["GET"] } : {}),
    http: { requestOptions: { timeout: SILENCE_MS } },
    disableRequestLogging: true,
    config: { auth: "public" },
    preHandler: (request, _reply, done) => {
      const asksForMetrics = wildcardSchema.safeParse(request.params).data?.["*"] === "metrics";
      done(asksForMetrics ? refusal(404, "not_found", `Ask for the metrics at the port of ${name} itself.`) : undefined);
    },
    replyOptions: {
      // An upstream that restarts, or closes a kept connection just then, is asked again, but only for requests that read.
      retriesCount: 1,
      // Addresses that the client claims are replaced by what this server saw.
      rewriteRequestHeaders: (request, headers) => {
        const { forwarded: _forwarded, "x-forwarded-prefix": _prefix, origin, ...kept } = headers;
        const isOwnPage = pagesMayCall && origin !== undefined && hostOf(origin) === request.host;
        return {
          ...kept,
          ...(origin === undefined || isOwnPage ? {} : { origin }),
          "x-forwarded-for": request.ip,
          "x-forwarded-proto": request.protocol,
          "x-forwarded-host": request.host,
        };
      },
      onError: (reply, { error }) => {
        const late = "statusCode" in error && error.statusCode === 504;
        const answer = late
          ? refusal(504, "upstream_timeout", `${name} did not answer in time; try again.`)
          : refusal(502, "upstream_unreachable", `${name} can't be reached at the moment; try again in a few seconds.`);
        void reply.code(answer.status).type("application/json").send(answer.toBody());
      },
    },
  });
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
