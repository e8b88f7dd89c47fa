import { join } from "node:path";
import { alertRules, type AlertRule } from "./alert-rules.ts";

export const PROMETHEUS_RULES_FILE = join(import.meta.dirname, "../../../../docs/prometheus-alerts.yml");

/** Renders the alerts as a rule file of Prometheus. */
export function renderPrometheusRules(): string {
  return [
    "# Alerts for Prometheus, which scrapes /metrics of the backend, of the consumer and of the observed application.",
    "# Written from packages/observability/alerts/operator/alert-rules.ts by `npm run alert-rules -w @sightline/observability`.",
    "groups:",
    "  - name: sightline-observability",
    "    rules:",
    ...alertRules.flatMap(renderRule),
    "",
  ].join("\n");
}

function renderRule({ name, severity, above, summary, expression, held }: AlertRule): readonly string[] {
  return [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(`${expression} > ${above}`)}`,
    `        for: ${held}`,
    "        labels:",
    `          severity: ${severity}`,
    "        annotations:",
    `          summary: ${JSON.stringify(summary)}`,
  ];
}
