import { runChecks, type Check } from "@sightline/foundation/health";
import type { Routes } from "@sightline/foundation/http-server";
import { z } from "zod";

const detailedSchema = z.object({
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  components: z.record(z.string(), z.object({ status: z.enum(["up", "down"]) })),
});

type HealthDependencies = { readonly version: string; readonly checks: readonly Check[] };

export function healthRoutes({ version, checks }: HealthDependencies): Routes {
  return (server) => {
    // Says that the process answers and nothing else: it must hold when the database is gone.
    server.get(
      "/health",
      { config: { auth: "public" }, schema: { response: { 200: z.object({ status: z.literal("ok") }) } } },
      async () => ({ status: "ok" as const }),
    );

    server.get(
      "/health/detailed",
      { config: { auth: "public" }, schema: { response: { 200: detailedSchema, 503: detailedSchema } } },
      async (request, reply) => {
        const results = await runChecks(checks);
        // Anybody may ask, so that the reasons, which name hosts, stay in the log.
        for (const [component, result] of Object.entries(results)) {
          if (result.status === "down") {
            request.log.warn({ component, reason: result.error }, "a component is down");
          }
        }
        const isUp = Object.values(results).every(({ status }) => status === "up");
        const components = Object.fromEntries(Object.entries(results).map(([name, { status }]) => [name, { status }]));
        return reply.status(isUp ? 200 : 503).send({ status: isUp ? "ok" : "degraded", version, components });
      },
    );
  };
}
