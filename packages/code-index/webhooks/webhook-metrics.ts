import { createCounter, type Metrics } from "@sightline/foundation/http/metrics";

export type WebhookMetrics = {
  /** Deliveries by what they came to; those that were refused leave no other trace. */
  readonly counted: (provider: string, outcome: "accepted" | "ignored" | "pong" | "refused" | "invalid") => void;
};

export function createWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const deliveries = createCounter(metrics, {
    name: "codeindex_webhook_deliveries_total",
    help: "Webhook deliveries by host and by what they came to.",
    labels: ["provider", "outcome"],
  });
  return { counted: (provider, outcome) => deliveries.inc({ provider, outcome }) };
}
