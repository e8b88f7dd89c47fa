import type { AlertFilter, AlertMetric } from "#contract.ts";

/** The change that a message tells of. */
export type AlertText = {
  readonly project_id: string;
  readonly project_name: string;
  readonly rule_name: string;
  readonly kind: "fired" | "resolved" | "test";
  readonly metric: AlertMetric;
  readonly threshold: number;
  readonly window_minutes: number;
  readonly filter: AlertFilter;
  readonly value: number | null;
};

const WORDS: Readonly<Record<AlertMetric, { readonly name: string; readonly write: (value: number) => string }>> = {
  errors: { name: "errors", write: String },
  error_rate: { name: "error rate", write: (value) => `${Number((value * 100).toFixed(1))}%` },
  latency_p95: { name: "95th percentile of durations", write: (value) => `${Number((value / 1_000).toFixed(2))} s` },
  cost: { name: "cost", write: dollars },
  cost_per_user: { name: "cost of one user", write: dollars },
  tokens: { name: "tokens", write: String },
  gaps: { name: "missing events", write: String },
  no_traces: { name: "traces begun", write: String },
};

/** The address of a project's alerts in the console. */
export function alertsAddress(publicUrl: string, projectId: string): string {
  return `${publicUrl.replace(/\/$/, "")}/projects/${projectId}/alerts`;
}

/** Describes the change in one paragraph. */
export function alertSentence(alert: AlertText): string {
  if (alert.kind === "test") {
    return `A test: alerts of the project ${alert.project_name} are told here.`;
  }
  const { name, write } = WORDS[alert.metric];
  const found = alert.value === null ? "nothing" : write(alert.value);
  const limit = `${alert.metric === "no_traces" ? "alert at or below" : "limit"} ${write(alert.threshold)}`;
  const of = Object.entries(alert.filter).map(([what, which]) => ` of ${what} “${which}”`);
  const state = alert.kind === "fired" ? "Firing" : "Resolved";
  return `${state}: ${alert.rule_name} (${alert.project_name}). ${name}${of.join("")} in the last ${alert.window_minutes} minutes: ${found}, ${limit}.`;
}

/** In Slack `<`, `>` and `&` begin links and mentions: they are escaped in names that people chose. */
export function slackText(alert: AlertText, address: string): string {
  const sentence = alertSentence(alert).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `${alert.kind === "fired" ? ":rotating_light: " : ""}${sentence} <${address}|Open in Sightline>`;
}

function dollars(value: number): string {
  return `$${value < 1 ? Number(value.toPrecision(2)) : value.toFixed(2)}`;
}
