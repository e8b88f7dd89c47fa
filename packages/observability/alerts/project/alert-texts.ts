import { SCORE_ALERT_DEFAULTS, type AlertFilter, type AlertMetric, type GateOutcome } from "#contract.ts";
import type { NamedExperiment } from "./experiment-alerts.store.ts";
import type { NamedIssue } from "./issue-alerts.store.ts";

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
  readonly issues: readonly NamedIssue[] | null;
  /** Null of other metrics, and of an experiment that was deleted since. */
  readonly experiment: NamedExperiment | null;
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
  matching: { name: "matching traces", write: String },
  issues: { name: "new and reopened issues", write: String },
  experiments: { name: "finished experiments", write: String },
  score_below: { name: "mean", write: digits },
  score_above: { name: "mean", write: digits },
  score_worse: { name: "worsening of the mean", write: digits },
};

/** Where the console shows what is told: the experiment beside what its gate compared it with, the issue or issues, otherwise the project's alerts. */
export function alertAddress(publicUrl: string, { project_id: projectId, issues, experiment }: AlertText): string {
  if (experiment !== null) {
    const baseline = experiment.gate?.baseline ?? null;
    const beside = baseline === null ? "" : `?baseline=${encodeURIComponent(baseline)}`;
    return `${projectAddress(publicUrl, projectId)}/experiments/${experiment.id}${beside}`;
  }
  const [first, second] = issues ?? [];
  const page = issues === null ? "alerts" : first === undefined || second !== undefined ? "issues" : `issues/${first.id}`;
  return `${projectAddress(publicUrl, projectId)}/${page}`;
}

/** The issues that are told, each with the addresses of its page and of its newest trace. */
export function linkIssues(publicUrl: string, { project_id: projectId, issues }: AlertText) {
  const base = projectAddress(publicUrl, projectId);
  return (issues ?? []).map(({ trace_id: traceId, ...issue }) => ({
    ...issue,
    url: `${base}/issues/${issue.id}`,
    trace_url: traceId === null ? null : `${base}/traces/${traceId}`,
  }));
}

function projectAddress(publicUrl: string, projectId: string): string {
  return `${publicUrl.replace(/\/$/, "")}/projects/${projectId}`;
}

/** Describes the change in one paragraph. */
export function alertSentence(alert: AlertText): string {
  if (alert.kind === "test") {
    return `A test: alerts of the project ${alert.project_name} are told here.`;
  }
  if (alert.issues !== null) {
    const told = alert.issues.map(({ change, title }) => `${change === "new" ? "New issue" : "Reopened issue"}: ${title}`);
    const more = (alert.value ?? 0) - told.length;
    return `${alert.rule_name} (${alert.project_name}). ${[...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")}.`;
  }
  if (alert.metric === "experiments") {
    return `${alert.rule_name} (${alert.project_name}). ${alert.experiment === null ? "An experiment finished that was deleted since." : experimentSentence(alert.experiment)}`;
  }
  const { name, write } = WORDS[alert.metric];
  const found = alert.value === null ? "nothing" : write(alert.value);
  const limit = `${alert.metric === "no_traces" ? "alert at or below" : "limit"} ${write(alert.threshold)}`;
  const { score, trace, model, node, query, baseline_minutes: before = SCORE_ALERT_DEFAULTS.baseline_minutes } = alert.filter;
  const of = Object.entries({ score, trace, model, node, query }).flatMap(([what, which]) =>
    which === undefined ? [] : ` of ${what} “${which}”`,
  );
  const against = alert.metric === "score_worse" ? ` against the ${before} minutes before` : "";
  const state = alert.kind === "fired" ? "Firing" : "Resolved";
  return `${state}: ${alert.rule_name} (${alert.project_name}). ${name}${of.join("")} in the last ${alert.window_minutes} minutes${against}: ${found}, ${limit}.`;
}

const GATE_WORDS: Readonly<Record<GateOutcome, string>> = {
  passed: "the gate passes",
  worse: "the gate fails: it got worse",
  inconclusive: "the gate could not tell",
  broken: "the gate fails: it is broken",
};

/** Scores that one message names. */
const MAX_SCORES = 5;

function experimentSentence({ name, dataset, branch, commit, means, gate }: NamedExperiment): string {
  const code = [branch, commit?.slice(0, 7)].filter((part) => typeof part === "string").join(" ");
  const verdict = gate === null ? "" : `, ${GATE_WORDS[gate.outcome]}${gate.baseline === null ? "" : ` (against ${gate.baseline})`}`;
  const scores = means.flatMap(({ source, name: score, mean }) => (source === "run" ? [] : [`${score} ${digits(mean)}`]));
  const told = scores.length === 0 ? "" : ` ${scores.slice(0, MAX_SCORES).join(", ")}.`;
  return `Experiment finished: ${name} over ${dataset}${code === "" ? "" : ` (${code})`}${verdict}.${told}`;
}

/** Whether somebody has to act: of an experiment that its gate let pass, or that had none, nobody has. */
export function isUrgent({ kind, metric, experiment }: AlertText): boolean {
  return kind === "fired" && (metric !== "experiments" || experiment?.gate?.outcome === "worse" || experiment?.gate?.outcome === "broken");
}

/** In Slack `<`, `>` and `&` begin links and mentions: they are escaped in names that people chose. */
export function slackText(publicUrl: string, alert: AlertText): string {
  const sentence = alertSentence(alert).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const traces = linkIssues(publicUrl, alert).flatMap(({ trace_url: url }) => (url === null ? [] : [` <${url}|its newest trace>`]));
  return `${isUrgent(alert) ? ":rotating_light: " : ""}${sentence} <${alertAddress(publicUrl, alert)}|Open in Sightline>${traces.join("")}`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function dollars(value: number): string {
  return `$${value < 1 ? Number(value.toPrecision(2)) : value.toFixed(2)}`;
}
