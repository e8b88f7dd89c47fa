import { z } from "zod";
import { parseTraceQuery } from "./trace-query/trace-query.ts";
import { scoreSchema } from "./scores.ts";
import { listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Alerts of a project: rules that are checked every minute, their channels, and what happened. */

/**
 * What a rule measures, over the last `window_minutes`. `errors`, `error_rate` (0 to 1) and `latency_p95`
 * (milliseconds): of traces that ended, or of the steps that the filter names. `cost` (US dollars) and `tokens`: of
 * model calls that ended; `cost_per_user`: of the user whose calls cost most. `gaps`: events found to be lost.
 * `no_traces`: traces that began. `matching`: traces that began and that the query of the filter finds. `issues` measures nothing: it tells of each issue when it is found, and when a trace
 * opens it again; `experiments` tells of each experiment when it has finished. Their threshold and window mean nothing. `score_below` and `score_above`: the mean of a score of live traces, which fires below or
 * above its threshold. `score_worse`: by how much that mean is worse than it was in the `baseline_minutes` before the window; where the score's settings
 * say that lower is better, by how much it is higher. Of fewer than `min_count` scores in a window nothing is known, and a rule stays as it is.
 */
export const alertMetricSchema = z.enum([
  "errors",
  "error_rate",
  "latency_p95",
  "cost",
  "cost_per_user",
  "tokens",
  "gaps",
  "no_traces",
  "matching",
  "issues",
  "experiments",
  "score_below",
  "score_above",
  "score_worse",
]);
export type AlertMetric = z.infer<typeof alertMetricSchema>;

/** Scores that a window has at the least, and how long the time before it is, unless the filter says otherwise. */
export const SCORE_ALERT_DEFAULTS = { source: "application", min_count: 20, baseline_minutes: 10_080 } as const;
const MAX_BASELINE_MINUTES = 43_200;

const name = z.string().trim().min(1, "give it a name").max(100).regex(WITHOUT_NUL, nulRefused);
const filterText = z.string().min(1).max(200).regex(WITHOUT_NUL, nulRefused);

/** The whole name of each. Not for `gaps`, `issues` and `experiments`; a model or a node, not both; a node for errors and latencies only; `no_traces` by trace only. `matching` has a query, as the list of traces does, and nothing else. Scores have a `score`, and may have a `trace`. */
export const alertFilterSchema = z.object({
  trace: filterText.optional(),
  model: filterText.optional(),
  node: filterText.optional(),
  query: filterText.max(1_000).optional(),
  score: filterText.optional(),
  /** Who gave the scores: what people, judges and applications say is never averaged together. */
  source: scoreSchema.shape.source.optional(),
  min_count: z.int("write a whole number of scores").min(1).max(100_000).optional(),
  baseline_minutes: z.int().min(60, "compare with an hour or more").max(MAX_BASELINE_MINUTES, "compare with 30 days or less").optional(),
});
export type AlertFilter = z.infer<typeof alertFilterSchema>;

const ruleFields = {
  name,
  metric: alertMetricSchema,
  /** The rule fires when the value is above; `no_traces` when it is not above, `score_below` when it is below. Only a score's mean may have one below 0. */
  threshold: z.number().min(-1e15).max(1e15),
  window_minutes: z.int().min(5, "look at 5 minutes or more").max(1440, "look at 1,440 minutes (a day) or less"),
  filter: alertFilterSchema,
  /** Channels of this project; without any the alert is seen in the console only. */
  channels: z.array(z.uuid()).max(20),
  is_enabled: z.boolean(),
};
export const createAlertRuleRequestSchema = z
  .object({
    ...ruleFields,
    filter: ruleFields.filter.default({}),
    channels: ruleFields.channels.default([]),
    is_enabled: ruleFields.is_enabled.default(true),
  })
  .superRefine(refineRule);
export type CreateAlertRuleRequest = z.input<typeof createAlertRuleRequestSchema>;
/** What is left out stays as it is. */
export const changeAlertRuleRequestSchema = z.object(ruleFields).partial();
export type ChangeAlertRuleRequest = z.infer<typeof changeAlertRuleRequestSchema>;

/** Whether a rule has no figure, and tells of what others find. */
export function isToldOnly(metric: AlertMetric): metric is "issues" | "experiments" {
  return metric === "issues" || metric === "experiments";
}

export function isOfScore(metric: AlertMetric): boolean {
  return metric === "score_below" || metric === "score_above" || metric === "score_worse";
}

/** Why a rule can't have such a threshold; undefined when it can. */
export function thresholdProblem(metric: AlertMetric, threshold: number): string | undefined {
  return threshold < 0 && metric !== "score_below" && metric !== "score_above" ? "write a limit of 0 or more" : undefined;
}

function scoreFilterProblem(
  metric: AlertMetric,
  { model, node, query, score, baseline_minutes: baseline }: AlertFilter,
): string | undefined {
  if (score === undefined) {
    return "name the score";
  }
  if ((model ?? node ?? query) !== undefined) {
    return "scores can be narrowed to a trace's name only";
  }
  return baseline !== undefined && metric !== "score_worse" ? "only score_worse is compared with the time before" : undefined;
}

/** Why a rule with such a filter can't be evaluated; undefined when it can. */
export function filterProblem(metric: AlertMetric, filter: AlertFilter): string | undefined {
  const { trace, model, node, query, ...ofScore } = filter;
  if (isOfScore(metric)) {
    return scoreFilterProblem(metric, filter);
  }
  if (Object.values(ofScore).some((value) => value !== undefined)) {
    return "only alerts of a score have a score, its source, a least count and a time before";
  }
  if (metric === "matching") {
    return (trace ?? model ?? node) !== undefined
      ? "traces that match are told apart by the query alone"
      : query === undefined
        ? "write the query that finds them, such as tool:refund -node:ask"
        : parseTraceQuery(query).errors[0]?.message;
  }
  if (query !== undefined) {
    return "only traces that match are told apart by a query";
  }
  if ((metric === "gaps" || isToldOnly(metric)) && (trace ?? model ?? node) !== undefined) {
    return `${metric === "gaps" ? "missing events" : metric} can't be told apart by trace, model or node`;
  }
  if (model !== undefined && node !== undefined) {
    return "choose a model or a node, not both";
  }
  if (metric === "no_traces" && (model ?? node) !== undefined) {
    return "traces that began can be narrowed to a trace's name only";
  }
  if (node !== undefined && !["errors", "error_rate", "latency_p95"].includes(metric)) {
    return "cost and tokens can't be narrowed to a node";
  }
  return undefined;
}

function refineRule(
  { metric, filter, threshold }: { readonly metric: AlertMetric; readonly filter: AlertFilter; readonly threshold: number },
  context: { readonly addIssue: (issue: { code: "custom"; path: string[]; message: string }) => void },
): void {
  const problems = { filter: filterProblem(metric, filter), threshold: thresholdProblem(metric, threshold) };
  for (const [path, message] of Object.entries(problems)) {
    if (message !== undefined) {
      context.addIssue({ code: "custom", path: [path], message });
    }
  }
}

export const alertRuleSchema = z.object({
  id: z.uuid(),
  ...ruleFields,
  /** `unknown`: it was not evaluated yet, could not be, or is switched off; it still fires when it did before. */
  state: z.enum(["ok", "firing", "unknown"]),
  /** Since when it fires or does not. */
  since: timestamp.nullable(),
  /** Null when there was nothing to compute it from. */
  last_value: z.number().nullable(),
  evaluated_at: timestamp.nullable(),
  /** Why it could not be evaluated. */
  problem: z.string().nullable(),
  changed_at: timestamp,
});
export type AlertRule = z.infer<typeof alertRuleSchema>;
export const alertRuleListSchema = z.object({ items: z.array(alertRuleSchema), next_cursor: z.null() });

export const alertChannelKindSchema = z.enum(["webhook", "slack", "email", "pagerduty", "opsgenie"]);
export type AlertChannelKind = z.infer<typeof alertChannelKindSchema>;
/** The address to post to, https only. It is never shown again. */
const channelUrl = z.url("write the whole address, such as https://example.org/alerts").max(2_000);
/** The addresses of their events, unless a `url` says otherwise, as that of their European regions. */
export const EVENTS_URLS = {
  pagerduty: "https://events.pagerduty.com/v2/enqueue",
  opsgenie: "https://api.opsgenie.com/v2/alerts",
} as const;
const ONE_ADDRESS = "write one address, such as agents@example.org";
const INTEGRATION_KEY = "write the integration's key";
export const createAlertChannelRequestSchema = z.discriminatedUnion("kind", [
  z.object({ name, kind: z.enum(["webhook", "slack"]), url: channelUrl }),
  z.object({
    name,
    kind: z.literal("email"),
    email: z
      .string(ONE_ADDRESS)
      .trim()
      .max(254)
      .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, ONE_ADDRESS),
  }),
  z.object({
    name,
    kind: z.enum(["pagerduty", "opsgenie"]),
    /** PagerDuty's integration key (Events API v2), or the key of Opsgenie's API integration. It is never shown again. */
    key: z
      .string(INTEGRATION_KEY)
      .trim()
      .regex(/^[\w-]{8,200}$/, INTEGRATION_KEY),
    url: channelUrl.optional(),
  }),
]);
export type CreateAlertChannelRequest = z.infer<typeof createAlertChannelRequestSchema>;

export const alertChannelSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: alertChannelKindSchema,
  /** The host is all that is shown of the address, whose path may be a secret; of e-mail the address. */
  host: z.string(),
  created_at: timestamp,
  /** When the last message was tried. */
  last_sent_at: timestamp.nullable(),
  last_problem: z.string().nullable(),
});
export type AlertChannel = z.infer<typeof alertChannelSchema>;
export const alertChannelListSchema = z.object({ items: z.array(alertChannelSchema), next_cursor: z.null() });
/** The only answer with the webhook's secret, by which the header `X-Sightline-Signature: sha256=<HMAC of the body>` is made; null for other kinds. */
export const createdAlertChannelSchema = alertChannelSchema.extend({ secret: z.string().nullable() });
export type CreatedAlertChannel = z.infer<typeof createdAlertChannelSchema>;
export const testedAlertChannelSchema = z.object({ is_delivered: z.boolean(), problem: z.string().nullable() });
export type TestedAlertChannel = z.infer<typeof testedAlertChannelSchema>;

export const listAlertEventsRequestSchema = listRequestSchema.extend({ rule_id: z.uuid().optional() });
/** A change of a rule's state, and the messages about it. */
export const alertEventSchema = z.object({
  id: z.uuid(),
  rule_id: z.uuid(),
  /** The rule's name when the alert was sent. */
  rule_name: z.string(),
  kind: z.enum(["fired", "resolved"]),
  metric: alertMetricSchema,
  threshold: z.number(),
  window_minutes: z.int(),
  /** Of `issues`: how many it tells of. */
  value: z.number().nullable(),
  /** Of `issues`: the first 20 of them. */
  issues: z.array(z.object({ id: z.uuid(), change: z.enum(["new", "reopened"]) })).nullable(),
  at: timestamp,
  /** Of `experiments`: the one that has finished. */
  experiment_id: z.uuid().nullable(),
  /** `dead`: given up after an hour. */
  notifications: z.array(
    z.object({
      id: z.uuid(),
      channel: z.string(),
      state: z.enum(["pending", "sent", "dead"]),
      tries: z.int(),
      problem: z.string().nullable(),
      sent_at: timestamp.nullable(),
    }),
  ),
});
export type AlertEvent = z.infer<typeof alertEventSchema>;
/** An issue that an alert tells of, and why. */
export type ToldIssue = NonNullable<AlertEvent["issues"]>[number];
export const alertEventPageSchema = z.object({ items: z.array(alertEventSchema), next_cursor: z.string().nullable() });
