import type { Service } from "@sightline/foundation/lifecycle";
import { consoleFolder } from "#console-build.ts";
import { consolePages } from "#console-pages.ts";
import { proxyRoutes } from "#console-proxy.ts";
import { healthRoutes } from "#health-routes.ts";
import { serve, type Context } from "./context.ts";

export async function composeConsole(context: Context): Promise<readonly Service[]> {
  const { platform } = context;
  const http = await serve(context, {
    title: "Sightline console",
    port: platform.CONSOLE_PORT,
    portVariable: "CONSOLE_PORT",
    authenticators: {},
    routes: [
      healthRoutes([]),
      proxyRoutes([
        { prefix: "/api/identity", name: "Identity", url: platform.IDENTITY_URL },
        { prefix: "/api/code-index", name: "The code index", url: platform.CODEINDEX_URL },
        { prefix: "/api/observability", name: "Observability", url: platform.OBSERVABILITY_URL },
      ]),
      consolePages(consoleFolder().built),
    ],
  });
  return [http];
}
