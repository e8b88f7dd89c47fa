import type { Database } from "@sightline/foundation/database/database";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";
import type { ObservabilitySchema } from "#schema.ts";
import { findUncountedHours } from "#counting/uncounted-hours.store.ts";

export function registerUncountedHours(metrics: Metrics, { query }: Pick<Database<ObservabilitySchema>, "query">): void {
  createGauge(metrics, {
    name: "studio_uncounted_hours",
    help: "Hours of all projects that could not be counted and are missing in their figures until a later try.",
    labels: [],
    read: async () => [{ labels: {}, value: (await findUncountedHours(query, { reader: { kind: "operator" } })).hours }],
  });
}
