import type { DescribedMetric, DescribedRole } from "./describe-roles.ts";
import { cell } from "./render-schema.ts";

/** What every Node process tells of itself. */
const OF_NODE = /^(process|nodejs)_/;

export function renderMetrics(roles: readonly DescribedRole[]): string {
  const served = new Map<string, { readonly metric: DescribedMetric; readonly by: string[] }>();
  for (const { role, metrics } of roles) {
    for (const metric of metrics.filter(({ name }) => !OF_NODE.test(name))) {
      const known = served.get(metric.name) ?? { metric, by: [] };
      known.by.push(role);
      served.set(metric.name, known);
    }
  }
  const rows = [...served.values()]
    .toSorted((one, other) => one.metric.name.localeCompare(other.metric.name, "en"))
    .map(({ metric, by }) => {
      const labels = metric.labelNames.map((label) => `\`${label}\``).join(" ");
      return `| \`${metric.name}\` | ${metric.type} | ${labels} | ${by.join(", ")} | ${cell(metric.help)} |`;
    });
  return [
    "# Metrics",
    "`GET /metrics` of each role, in Prometheus' format, at the role's own port and never through the console. Every metric has the label `role`. Beside these each process tells of itself as Node's client library does (`process_…`, `nodejs_…`). The console has the duration of its answers and those of the process.",
    ["| metric | type | labels | told by | what it is |", "| --- | --- | --- | --- | --- |", ...rows].join("\n"),
    "Rules to alert on them: [prometheus-alerts.yml](../prometheus-alerts.yml), and why those: [Metrics and alerts](../observability.md#metrics-and-alerts).",
  ].join("\n\n");
}
