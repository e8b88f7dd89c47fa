import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { alertListSchema } from "#contract.ts";
import { getReader } from "#query/access/request-reader.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findUncountedHours } from "#counting/uncounted-hours.store.ts";
import { countRecentlyLost } from "./recent-losses.store.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";

type AlertsOptions = { readonly database: Database<ObservabilitySchema>; readonly metrics: Metrics; readonly clock: Clock };

const LOST_WITHIN_MS = 10 * 60_000;

/** Serves the alerts of the contract, evaluated now by this replica. An admin sees only the tenant's own losses. */
export function alertRoutes({ database, metrics, clock }: AlertsOptions) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/alerts",
      { config: { auth: "admin-or-operator" }, schema: { summary: "The alerts, evaluated now", response: { 200: alertListSchema } } },
      async (request) => {
        const reader = getReader(request);
        const now = clock.now();
        const items = await evaluateAlerts(metrics, {
          EventsLost: () => countRecentlyLost(database.query, { reader, since: new Date(now.getTime() - LOST_WITHIN_MS) }),
          HoursUncounted: async () => (await findUncountedHours(database.query, { reader })).hours,
          ConsumerGone: async () => {
            const heartbeat = (await metrics.registry.getSingleMetric("studio_consumer_heartbeat")?.get())?.values[0]?.value;
            return heartbeat === undefined ? undefined : 1 - heartbeat;
          },
        });
        return { items: [...items], checked_at: now.toISOString() };
      },
    );
  };
}
