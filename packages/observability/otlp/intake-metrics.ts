import { createCounter, type Metrics } from "@sightline/foundation/http/metrics";

export type IntakeMetrics = ReturnType<typeof createIntakeMetrics>;

export function createIntakeMetrics(metrics: Metrics) {
  return {
    requests: createCounter(metrics, {
      name: "studio_otlp_requests_total",
      help: "Requests to the OTLP intake, by the status of their answer.",
      labels: ["status"],
    }),
    refused: createCounter(metrics, {
      name: "studio_otlp_spans_refused_total",
      help: "Spans that could not be read; the sender was told which and why.",
      labels: [],
    }),
  };
}
