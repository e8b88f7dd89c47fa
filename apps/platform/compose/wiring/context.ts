import { systemClock } from "@sightline/foundation/clock";
import { readConfig } from "@sightline/foundation/config";
import { createHttpServer, type Authenticator, type Routes } from "@sightline/foundation/http/http-server";
import { listening } from "@sightline/foundation/http/listening";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Logger } from "@sightline/foundation/log";
import { createMetrics, type Metrics } from "@sightline/foundation/http/metrics";
import { platformVariables, type PlatformConfig } from "#config.ts";
import type { Environment } from "#settings/environment.ts";
import { version } from "#settings/version.ts";
import { runChecks, type Check } from "@sightline/foundation/health";
import { z } from "zod";

/** What every role is composed from. */
export type Context = {
  readonly environment: Environment;
  readonly log: Logger;
  readonly clock: typeof systemClock;
  readonly metrics: Metrics;
  readonly platform: PlatformConfig;
};

export function createContext(role: string, { environment, log }: { readonly environment: Environment; readonly log: Logger }): Context {
  return { environment, log, clock: systemClock, metrics: createMetrics(role), platform: readConfig(platformVariables, environment) };
}

type Serving = {
  readonly title: string;
  readonly port: number;
  readonly portVariable: string;
  readonly authenticators: Readonly<Record<string, Authenticator>>;
  readonly routes: readonly Routes[];
  readonly corsOrigins?: readonly string[];
  readonly metricsOnlyFor?: { readonly token: string | undefined };
};

/** An HTTP server as a service of the role. */
export async function serve({ log, metrics, platform }: Context, serving: Serving): Promise<Service> {
  const server = await createHttpServer({
    name: serving.title,
    title: serving.title,
    version,
    log,
    metrics,
    authenticators: serving.authenticators,
    routes: serving.routes,
    trustedProxies: platform.SIGHTLINE_TRUSTED_PROXIES,
    ...(serving.metricsOnlyFor === undefined ? {} : { metricsOnlyFor: serving.metricsOnlyFor }),
    ...(serving.corsOrigins === undefined ? {} : { corsOrigins: serving.corsOrigins }),
  });
  return listening(server, { host: platform.SIGHTLINE_HOST, port: serving.port, portVariable: serving.portVariable });
}

const checkSchema = z.object({ status: z.enum(["up", "down"]), error: z.string().optional() });
const healthSchema = z.object({
  status: z.enum(["healthy", "degraded"]),
  version: z.string(),
  components: z.record(z.string(), checkSchema),
});

/** `GET /health` of a role whose contract defines none: 200 while the process answers, with what it stands on. */
export function healthRoutes(checks: readonly Check[]): Routes {
  return (server) => {
    server.get(
      "/health",
      {
        config: { auth: "public" },
        schema: { summary: "Whether the process answers, and what it stands on is up", response: { 200: healthSchema } },
      },
      async () => {
        const components = await runChecks(checks);
        const isHealthy = Object.values(components).every(({ status }) => status === "up");
        return { status: isHealthy ? ("healthy" as const) : ("degraded" as const), version, components };
      },
    );
  };
}
