import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createLog, type Logger } from "@sightline/foundation/log";
import type { HttpServer } from "@sightline/foundation/http/http-server";

/** One request to a server under test and what it answered. */
export type Exchange = {
  /** Method and address as the route has it. */
  readonly route: string;
  readonly sent: { readonly body: unknown; readonly authorization: string; readonly cookie: string };
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
};

export type Recording = {
  /** Writes everything from debug on to `lines`. */
  readonly log: Logger;
  readonly lines: readonly string[];
  readonly exchanges: readonly Exchange[];
  /** Method and address of every route that the servers have. */
  readonly routes: ReadonlySet<string>;
  /** Records the server that `make` makes from its first request on. */
  readonly of: (make: () => Promise<HttpServer>) => Promise<HttpServer>;
};

/** Keeps what servers log and answer, to be looked through when a test is over. */
export function createRecording(): Recording {
  const lines: string[] = [];
  const exchanges: Exchange[] = [];
  const routes = new Set<string>();
  function record(message: unknown): void {
    const { fastify } = message as { readonly fastify: HttpServer };
    listen(fastify, exchanges);
    fastify.addHook("onRoute", ({ method, url }) => [method].flat().forEach((each) => routes.add(`${each} ${url}`)));
  }
  return {
    lines,
    exchanges,
    routes,
    log: createLog({ name: "identity", level: "debug", destination: { write: (line) => void lines.push(line) } }),
    of: (make) => {
      // Fastify calls this out at once when a server is made: before any plugin, so that its hooks see every route.
      subscribe("fastify.initialization", record);
      try {
        return make();
      } finally {
        unsubscribe("fastify.initialization", record);
      }
    },
  };
}

function listen(server: HttpServer, exchanges: Exchange[]): void {
  const bodies = new WeakMap<object, string>();
  // The answers of OAuth's library pass by Fastify.
  server.addHook("onRequest", async (request, { raw }) => {
    const end = raw.end.bind(raw) as (...given: readonly unknown[]) => typeof raw;
    raw.end = (...given: readonly unknown[]) => {
      const [last] = given;
      if (!bodies.has(request) && (typeof last === "string" || Buffer.isBuffer(last))) {
        bodies.set(request, last.toString());
      }
      return end(...given);
    };
  });
  server.addHook("onSend", async (request, _reply, payload) => {
    bodies.set(request, typeof payload === "string" || Buffer.isBuffer(payload) ? payload.toString() : "");
    return payload;
  });
  server.addHook("onResponse", async (request, reply) => {
    const { authorization = "", cookie = "" } = request.headers;
    exchanges.push({
      route: `${request.method} ${request.routeOptions.url ?? ""}`,
      sent: { body: request.body, authorization, cookie },
      body: bodies.get(request) ?? "",
      headers: reply.getHeaders(),
    });
  });
}
