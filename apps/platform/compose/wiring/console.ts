import type { Service } from "@sightline/foundation/lifecycle";
import { consoleFolder } from "#console-server/console-build.ts";
import { consolePages } from "#console-server/console-pages.ts";
import { proxyRoutes } from "#console-server/console-proxy.ts";
import { type Context, healthRoutes, serve } from "./context.ts";

/** RFC 8414 looks for the metadata on the issuer's own origin, which is the console's. */
const ISSUER_METADATA = "/.well-known/oauth-authorization-server";

export async function composeConsole(context: Context): Promise<readonly Service[]> {
  const { platform } = context;
  const http = await serve(context, {
    title: "Sightline console",
    port: platform.CONSOLE_PORT,
    portVariable: "CONSOLE_PORT",
    authenticators: {},
    metricsOnlyFor: { token: platform.METRICS_TOKEN },
    routes: [
      healthRoutes([]),
      proxyRoutes([
        { prefix: "/api/identity", name: "Identity", url: platform.IDENTITY_URL },
        { prefix: ISSUER_METADATA, upstreamPrefix: ISSUER_METADATA, readOnly: true, name: "Identity", url: platform.IDENTITY_URL },
        { prefix: "/api/code-index", name: "The code index", url: platform.CODEINDEX_URL, pagesMayCall: true },
        { prefix: "/api/observability", name: "Observability", url: platform.OBSERVABILITY_URL },
      ]),
      consolePages(consoleFolder().built),
    ],
  });
  return [http];
}
