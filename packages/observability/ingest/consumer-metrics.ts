import type { Metrics } from "@sightline/foundation/http/metrics";
import { Counter } from "prom-client";

export type ConsumerMetrics = {
  readonly processed: Counter;
  readonly deadLettered: Counter;
  readonly lost: Counter<"reason">;
};

export function createConsumerMetrics({ registry }: Metrics): ConsumerMetrics {
  const registers = [registry];
  const lost = new Counter({
    name: "studio_events_lost_total",
    help: "Events that their producer numbered and that never arrived.",
    labelNames: ["reason"] as const,
    registers,
  });
  // From the start, as Prometheus sees no increase in a series whose first sample is the loss itself.
  lost.inc({ reason: "missing" }, 0);
  return {
    processed: new Counter({ name: "studio_events_processed_total", help: "Events written to the database.", registers }),
    deadLettered: new Counter({ name: "studio_events_dead_lettered_total", help: "Stream entries set aside with a reason.", registers }),
    lost,
  };
}
