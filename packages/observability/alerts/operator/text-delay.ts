import type { Database } from "@sightline/foundation/database/database";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";
import type { ObservabilitySchema } from "#schema.ts";
import { findLongestTextDelay } from "#text/index-texts.store.ts";

export function registerTextDelay(metrics: Metrics, { query }: Pick<Database<ObservabilitySchema>, "query">): void {
  createGauge(metrics, {
    name: "studio_text_index_delay_seconds",
    help: "How long the words of what was written last wait to be searchable, of the project that has waited longest.",
    labels: [],
    read: async () => [{ labels: {}, value: await findLongestTextDelay(query) }],
  });
}
