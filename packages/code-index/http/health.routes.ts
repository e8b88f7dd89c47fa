import type { Clock } from "@sightline/foundation/clock";
import { runChecks, type Check } from "@sightline/foundation/health";
import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { z } from "zod";
import { readQueue } from "./queue.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

const componentSchema = z.object({ status: z.enum(["up", "down"]), figures: z.record(z.string(), z.number()).optional() });

const detailedSchema = z.object({
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  components: z.record(z.string(), componentSchema),
});

type HealthDependencies = {
  readonly version: string;
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly watchdogLookedAt: () => Date | undefined;
};

/** When a due job waits this long while none runs, no indexer is running. */
const FORGOTTEN_SECONDS = 300;
/** The watchdog is down after three periods without a run. */
const WATCHDOG_SECONDS = 180;

export function healthRoutes({ version, ...dependencies }: HealthDependencies): Routes {
  return (server) => {
    // Says that the process answers and nothing else: it must hold when the database is gone.
    server.get(
      "/health",
      route("public", "Whether the process answers, whatever the database does", {
        response: { 200: z.object({ status: z.literal("ok") }) },
      }),
      async () => ({ status: "ok" as const }),
    );

    server.get(
      "/health/detailed",
      route("public", "Whether what it stands on is up", { response: { 200: detailedSchema, 503: detailedSchema } }),
      async (request, reply) => {
        const figures = new Map<string, Readonly<Record<string, number>>>();
        const results = await runChecks(componentsOf(dependencies, figures));
        // Anybody may ask, so that the reasons, which name hosts, stay in the log.
        for (const [component, result] of Object.entries(results)) {
          if (result.status === "down") {
            request.log.warn({ component, reason: result.error }, "a component is down");
          }
        }
        const isUp = Object.values(results).every(({ status }) => status === "up");
        const components = Object.fromEntries(
          Object.entries(results).map(([name, { status }]) => [name, { status, figures: figures.get(name) }]),
        );
        return reply.status(isUp ? 200 : 503).send({ status: isUp ? "ok" : "degraded", version, components });
      },
    );
  };
}

/** The components that are checked; each check puts its figures into the map. */
function componentsOf(
  { database, clock, watchdogLookedAt }: Omit<HealthDependencies, "version">,
  figures: Map<string, Readonly<Record<string, number>>>,
): readonly Check[] {
  return [
    database.check,
    {
      name: "queue",
      check: async () => {
        const { queued, running, oldest_queued_seconds: seconds } = await readQueue(database, { now: clock.now() });
        figures.set("queue", { queued, running, oldest_queued_seconds: Math.round(seconds) });
        if (running === 0 && seconds > FORGOTTEN_SECONDS) {
          throw new Error(`a job waits for ${Math.round(seconds)} s and none is running: start an indexer`);
        }
      },
    },
    {
      name: "watchdog",
      check: async () => {
        const lookedAt = watchdogLookedAt();
        const seconds = lookedAt === undefined ? Infinity : Math.round((clock.now().getTime() - lookedAt.getTime()) / 1_000);
        if (seconds > WATCHDOG_SECONDS) {
          throw new Error(`it did not look at the jobs for ${seconds} s`);
        }
        figures.set("watchdog", { seconds_since_last_look: seconds });
      },
    },
  ];
}
