import { createHttpServer, type HttpServer, type Routes } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";

/** The console's server with these routes, not listening yet. */
export async function createConsoleServer(routes: readonly Routes[], log = silentLog): Promise<HttpServer> {
  return await createHttpServer({
    name: "console",
    title: "Console",
    version: "0.0.0",
    log,
    metrics: createMetrics("console"),
    authenticators: {},
    trustedProxies: ["10.0.0.0/8"],
    routes,
  });
}
