import { createMetrics } from "@sightline/foundation/http/metrics";
import { expect, test } from "vitest";
import { createConsumerMetrics } from "./consumer-metrics.ts";

test("lost events are counted from zero, so that the alert sees the first loss as an increase", async () => {
  const metrics = createMetrics("consumer");
  const { lost } = createConsumerMetrics(metrics);
  expect(await metrics.registry.metrics()).toContain('studio_events_lost_total{reason="missing",role="consumer"} 0\n');
  lost.inc({ reason: "missing" }, 3);
  expect(await metrics.registry.metrics()).toContain('studio_events_lost_total{reason="missing",role="consumer"} 3\n');
});
