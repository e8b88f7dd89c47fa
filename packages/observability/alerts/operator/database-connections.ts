import type { Database } from "@sightline/foundation/database/database";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";
import type { ObservabilitySchema } from "#schema.ts";
import { countConnections } from "./connections.store.ts";

export function registerDatabaseConnections(metrics: Metrics, { query }: Pick<Database<ObservabilitySchema>, "query">): void {
  createGauge(metrics, {
    name: "studio_database_connections",
    help: "Connections of clients that are open to PostgreSQL, whoever's they are.",
    labels: [],
    read: async () => [{ labels: {}, value: await countConnections(query) }],
  });
}
