import { createHmac } from "node:crypto";
import { isToldOnly, type AlertChannelKind } from "#contract.ts";
import { alertAddress, alertSentence, isUrgent, linkIssues, slackText, type AlertText } from "./alert-texts.ts";
import type { ChannelSecrets } from "./channel-secrets.ts";

/** `id` stays the same when it is sent again, so that receivers can recognise duplicates. */
export type AlertMessage = AlertText & { readonly id: string; readonly rule_id: string | null; readonly at: Date };
type Request = { readonly url: string; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
type Write = (message: AlertMessage, publicUrl: string, channel: { readonly url: string; readonly secret: string }) => Request;

/** How each kind of receiver wants to be told. */
const REQUESTS: Readonly<Record<Exclude<AlertChannelKind, "email">, Write>> = {
  webhook(message, publicUrl, { url, secret }) {
    const body = JSON.stringify(webhookBody(publicUrl, message));
    return { url, body, headers: { "x-sightline-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` } };
  },
  slack: (message, publicUrl, { url }) => ({ url, body: JSON.stringify({ text: slackText(publicUrl, message) }) }),
  pagerduty: (message, publicUrl, { url, secret }) => ({ url, body: JSON.stringify(pagerDutyEvent(publicUrl, message, secret)) }),
  opsgenie(message, publicUrl, { url, secret }) {
    const alias = incidentOf(message);
    const close = `${url}/${encodeURIComponent(alias)}/close?identifierType=alias`;
    const body =
      message.kind === "resolved" ? { source: SOURCE, note: alertSentence(message) } : { ...opsgenieAlert(publicUrl, message), alias };
    return {
      url: message.kind === "resolved" ? close : url,
      body: JSON.stringify(body),
      headers: { authorization: `GenieKey ${secret}` },
    };
  },
};

export function toRequest(
  kind: Exclude<AlertChannelKind, "email">,
  { url, secret }: ChannelSecrets,
  told: { readonly message: AlertMessage; readonly publicUrl: string },
): Request {
  return REQUESTS[kind](told.message, told.publicUrl, { url, secret: secret ?? "" });
}

const SOURCE = "Sightline";

/** The name of an incident, by which it is opened and ended: of figures the rule; each message about issues or an experiment is one of its own, which nothing ends. */
function incidentOf({ id, rule_id: ruleId, metric }: AlertMessage): string {
  return `sightline-${ruleId === null || isToldOnly(metric) ? id : ruleId}`;
}

/** Events API v2. */
function pagerDutyEvent(publicUrl: string, message: AlertMessage, key: string): object {
  const incident = { routing_key: key, dedup_key: incidentOf(message) };
  return message.kind === "resolved"
    ? { ...incident, event_action: "resolve" }
    : {
        ...incident,
        event_action: "trigger",
        client: SOURCE,
        client_url: alertAddress(publicUrl, message),
        payload: {
          summary: alertSentence(message).slice(0, 1_024),
          source: message.project_name,
          severity: isUrgent(message) ? "error" : "info",
          timestamp: message.at.toISOString(),
          custom_details: webhookBody(publicUrl, message),
        },
      };
}

/** A message has 130 characters at the most, a description 15,000. */
function opsgenieAlert(publicUrl: string, message: AlertMessage): object {
  return {
    message: `${message.rule_name} (${message.project_name})`.slice(0, 130),
    description: `${alertSentence(message)}\n${alertAddress(publicUrl, message)}`.slice(0, 15_000),
    source: SOURCE,
    priority: isUrgent(message) ? "P3" : "P5",
    details: { url: alertAddress(publicUrl, message), project_id: message.project_id },
  };
}

/** The subject and the text of a mail. */
export function mailText(publicUrl: string, message: AlertMessage): { readonly subject: string; readonly text: string } {
  const fired = message.metric === "experiments" ? "Experiment finished" : "Alert";
  const state = { fired, resolved: "Resolved", test: "Test" }[message.kind];
  const traces = linkIssues(publicUrl, message).map(({ title, url }) => `\n${title}\n${url}`);
  return {
    subject: `${state}: ${message.rule_name} (${message.project_name})`.replaceAll(/\p{Cc}+/gu, " "),
    text: `${[alertSentence(message), ...traces].join("\n")}\n\n${alertAddress(publicUrl, message)}\n`,
  };
}

function webhookBody(publicUrl: string, message: AlertMessage): object {
  const { metric, threshold, window_minutes, filter } = message;
  return {
    id: message.id,
    event: message.kind,
    at: message.at.toISOString(),
    text: alertSentence(message),
    url: alertAddress(publicUrl, message),
    project: { id: message.project_id, name: message.project_name },
    rule: message.rule_id === null ? null : { id: message.rule_id, name: message.rule_name, metric, threshold, window_minutes, filter },
    value: message.value,
    ...(message.issues === null ? {} : { issues: linkIssues(publicUrl, message) }),
    ...(message.experiment === null ? {} : { experiment: message.experiment }),
  };
}
