import type { Routes } from "@sightline/foundation/http/http-server";
import { runChecks, type Check } from "@sightline/foundation/health";
import { z } from "zod";
import { version } from "#settings/version.ts";

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
