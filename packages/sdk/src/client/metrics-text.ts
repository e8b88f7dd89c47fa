import { formatMetrics } from "../settings/metrics.ts";
import { sdkState } from "./sdk-state.ts";

/**
 * The SDK's metrics in the Prometheus text format, for the application's `GET /metrics`. Stream length, consumer lag and heartbeat are
 * those of the last look, at most ten seconds old while Redis answers.
 */
export function metricsText(): string {
  return formatMetrics(sdkState.metrics);
}
