import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import httpProxy from "@fastify/http-proxy";
import { z } from "zod";
import { refusal, type AppError, type ErrorBody } from "@sightline/foundation/errors";
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

type ProxyTimings = {
  /** The time in which a client's body has to be there as a whole: what the APIs give a request, and less than the silence. */
  readonly bodyMs: number;
  /** The longest silence of an upstream; an event stream has no limit. */
  readonly silenceMs: number;
};

const TIMINGS: ProxyTimings = { bodyMs: 30_000, silenceMs: 35_000 };

/**
 * Serves the three APIs on the console's own origin, so that browsers need no CORS and the cookie stays first-party.
 * The path after the prefix is unchanged, bodies and event streams are streamed.
 */
export function proxyRoutes(upstreams: readonly Upstream[], timings: ProxyTimings = TIMINGS): Routes {
  return async (server) => {
    for (const upstream of upstreams) {
      await server.register(async (scope: HttpServer) => proxyTo(scope, upstream, timings));
    }
  };
}

/** What the parts and their operator read, not everyone who reaches the console. */
const NOT_FOR_ALL: ReadonlySet<string> = new Set(["metrics", ".well-known/credential-epochs"]);

/** The path after the prefix. */
const wildcardSchema = z.object({ "*": z.string() });

async function proxyTo(
  scope: HttpServer,
  { prefix, name, url, upstreamPrefix = "/", readOnly = false, pagesMayCall = false }: Upstream,
  { bodyMs, silenceMs }: ProxyTimings,
): Promise<void> {
  const refuse = refuseOnce(scope);
  await scope.register(httpProxy, {
    upstream: url,
    prefix,
    rewritePrefix: upstreamPrefix,
    // Upstreams redirect by whole addresses, also of apps (`cursor://…`), which this would take for paths of theirs.
    internalRewriteLocationHeader: false,
    ...(readOnly ? { httpMethods: ["GET"] } : {}),
    http: { requestOptions: { timeout: silenceMs } },
    disableRequestLogging: true,
    // The proxy itself writes a line for each of the errors that one failure consists of.
    logLevel: "error",
    config: { auth: "public" },
    preHandler: (request, reply, done) => {
      const late = setTimeout(() => {
        // A body that the upstream does not take is not the client's fault.
        if (!request.raw.complete && !request.raw.isPaused()) {
          refuse(reply, refusal(408, "request_timeout", "The request's body was not there in time; send it again.", CLOSING));
        }
      }, bodyMs);
      reply.raw.once("close", () => clearTimeout(late));
      if (request.body === request.raw) {
        request.body = ownBody(request.raw);
      }
      const path = wildcardSchema.safeParse(request.params).data?.["*"] ?? "";
      done(
        NOT_FOR_ALL.has(withoutDots(path))
          ? refusal(404, "not_found", `This is not shown through the console. ${name} shows it at its own port.`)
          : undefined,
      );
    },
    replyOptions: {
      // An upstream that restarts, or closes a kept connection just then, is asked again, but only for requests that read.
      retriesCount: 1,
      // Addresses that the client claims are replaced by what this server saw.
      rewriteRequestHeaders: (request, headers) => {
        const { forwarded: _forwarded, "x-forwarded-prefix": _prefix, origin, ...others } = headers;
        const { "content-length": _length, "transfer-encoding": _encoding, ...kept } = others;
        const isOwnPage = pagesMayCall && origin !== undefined && hostOf(origin) === request.host;
        return {
          ...kept,
          ...framingOf(request),
          ...(origin === undefined || isOwnPage ? {} : { origin }),
          "x-forwarded-for": request.ip,
          "x-forwarded-proto": request.protocol,
          "x-forwarded-host": request.host,
        };
      },
      // The connection to the client is this server's to keep or to close.
      rewriteHeaders: ({ connection: _connection, "keep-alive": _keepAlive, ...kept }) => kept,
      onError: (reply, { error }) => {
        const late = "statusCode" in error && error.statusCode === 504;
        const answer = late
          ? refusal(504, "upstream_timeout", `${name} did not answer in time; try again.`)
          : refusal(502, "upstream_unreachable", `${name} can't be reached at the moment; try again in a few seconds.`);
        refuse(reply, answer, error.cause);
      },
    },
  });
}

/** The body as a stream of its own: an upstream that answers before it has read all of it ends that one, and not the client's connection. */
function ownBody(raw: IncomingMessage): PassThrough {
  const body = new PassThrough();
  raw.once("close", () => raw.complete || body.destroy());
  return raw.pipe(body);
}

/** A path as the upstream will read it: the proxy takes `./` out of what it sends. */
function withoutDots(path: string): string {
  return new URL(`http://upstream/${path}`).pathname.slice(1);
}

/**
 * Where a request's body ends, as this server itself read it. What the client says of it is not passed on: an announced
 * body that is not sent along, or one whose length is taken out by `Connection: content-length`, would make the upstream
 * read one request as the beginning or the end of another (request smuggling).
 */
function framingOf({ body, headers }: { readonly body: unknown; readonly headers: IncomingHttpHeaders }): IncomingHttpHeaders {
  if (body === undefined) {
    return {};
  }
  const length = headers["content-length"];
  return length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": length };
}

/** The rest of a body may still come, and would be taken for the next request. */
const CLOSING = { headers: { connection: "close" } };

/** What is used of Fastify's reply, which the proxy types by servers of all kinds. */
type Reply = {
  readonly sent: boolean;
  readonly raw: { readonly destroyed: boolean };
  readonly request: { readonly id: string; readonly routeOptions: { readonly url?: string | undefined } };
  readonly code: (status: number) => Reply;
  readonly headers: (values: AppError["headers"]) => Reply;
  readonly type: (contentType: string) => Reply;
  readonly send: (body: ErrorBody) => unknown;
};

/** An upstream that is given up reports that as errors of its own; the first is the one that counts. */
function refuseOnce({ log }: HttpServer): (reply: Reply, refused: AppError, cause?: unknown) => void {
  const refusedAlready = new WeakSet<Reply>();
  return (reply, refused, cause) => {
    // Nobody waits for an answer, and a client that goes away is no failure.
    if (reply.raw.destroyed || reply.sent || refusedAlready.has(reply)) {
      return;
    }
    refusedAlready.add(reply);
    const { id: request, routeOptions } = reply.request;
    log.warn(
      { error: refused.code, cause: cause instanceof Error ? cause.message : undefined, request, route: routeOptions.url },
      refused.message,
    );
    void reply.code(refused.status).headers(refused.headers).type("application/json").send(refused.toBody());
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
