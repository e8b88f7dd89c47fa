import httpProxy from "@fastify/http-proxy";
import { z } from "zod";
import { AppError } from "@sightline/foundation/errors";
import type { HttpServer, Routes } from "@sightline/foundation/http/http-server";

export type Upstream = {
  /** Path under which the console's own origin serves it, e.g. `/api/identity`. */
  readonly prefix: string;
  readonly name: string;
  readonly url: string;
  /** What stands in place of the prefix at the upstream; nothing when not set. */
  readonly upstreamPrefix?: string;
  /** Whether it is only read. */
  readonly readOnly?: boolean;
  /** It judges pages by the origins it knows; the console's own pages call it through here whatever their origin is called. */
  readonly pagesMayCall?: boolean;
};

/** How long an upstream may be silent; an event stream has no limit. */
const SILENCE_MS = 35_000;

/**
 * The three APIs on the console's own origin, so that browsers need no CORS and the cookie stays first-party.
 * The path after the prefix goes on unchanged, bodies and event streams flow through.
 */
export function proxyRoutes(upstreams: readonly Upstream[]): Routes {
  return async (server) => {
    for (const upstream of upstreams) {
      await server.register(async (scope: HttpServer) => proxyTo(scope, upstream));
    }
  };
}

/** What comes after the prefix, as the upstream will read it. Figures for the operator are not for everyone who reaches the console. */
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
      const message = `Ask for the metrics at the port of ${name} itself.`;
      done(asksForMetrics ? new AppError({ code: "not_found", status: 404, message }) : undefined);
    },
    replyOptions: {
      // An upstream that restarts, or a kept connection that it closes just then, is no answer. Only what reads is asked again.
      retriesCount: 1,
      // Whatever the client claims about its address is replaced by what this server saw.
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
        const answer = new AppError({
          code: late ? "upstream_timeout" : "upstream_unreachable",
          status: late ? 504 : 502,
          message: late
            ? `${name} did not answer in time; try again.`
            : `${name} can't be reached at the moment; try again in a few seconds.`,
        });
        void reply.code(answer.status).type("application/json").send(answer.toBody());
      },
    },
  });
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
