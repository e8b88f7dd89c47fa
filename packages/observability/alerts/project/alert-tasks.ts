import { errorMessage } from "@sightline/foundation/errors";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { createAlarm, inRounds, repeat, type WakenBy } from "@sightline/foundation/repeat";
import { v7 as uuidv7 } from "uuid";
import type { Query } from "#schema.ts";
import { noteChannelUse } from "./alert-channels.store.ts";
import {
  areAnyRulesEnabled,
  claimDueRules,
  forgetOldAlertEvents,
  settleRule,
  type ClaimedRule,
  type Verdict,
} from "./alert-evaluation.store.ts";
import { areAnyPending, claimDueNotifications, noteDelivered, noteUndelivered, type DueNotification } from "./alert-notifications.store.ts";
import { readToldExperiment } from "./experiment-alerts.store.ts";
import { readToldIssues } from "./issue-alerts.store.ts";
import { readAlertValue } from "./alert-values.store.ts";
import { evaluateRule } from "./evaluate-rule.ts";
import { tellChannel, type ChannelAccess } from "./tell-channel.ts";

type Options = {
  readonly query: Query;
  readonly log: Logger;
  readonly access: ChannelAccess;
  /** Wakes when a rule or a message may have been changed by way of this process. */
  readonly wakenBy?: WakenBy;
};

const EVALUATE_EVERY_MS = 5_000;
const SEND_EVERY_MS = 2_000;
const REST_MS = 10_000;
/** Where there is no rule that is evaluated, or no message that waits. */
const QUIET_MS = 60_000;
const FORGET_EVERY_MS = 3_600_000;
/** Evaluating takes at most this share of the time. */
const EVALUATING_SHARE = 1 / 2;
/** Sending takes at most this share of the time: a receiver that hangs takes five seconds of each round. */
const SENDING_SHARE = 1;
const FORGETTING_SHARE = 1 / 20;

/** Evaluates rules and sends what they have to tell. Any number of replicas may do it; each rule and message goes to one of them. */
export function createAlertTasks({ query, log, access, wakenBy = () => undefined }: Options) {
  const evaluated = createAlarm();
  const eachRule = createEachOwner({ log, name: "evaluating an alert rule" });
  const quiet = { rules: false, messages: false };

  async function evaluateSome(): Promise<boolean> {
    quiet.rules = !(await areAnyRulesEnabled(query));
    if (quiet.rules) {
      return false;
    }
    const claim = uuidv7();
    const rules = await claimDueRules(query, claim);
    await eachRule(rules, {
      idOf: ({ id }) => id,
      work: async (rule) => settleRule(query, { rule, claim, verdict: await judge(rule), eventId: uuidv7() }),
    });
    if (rules.length > 0) {
      evaluated.ring();
    }
    return rules.length > 0;
  }

  async function judge(rule: ClaimedRule): Promise<Verdict> {
    const { id, project_id: projectId, metric, window_minutes: windowMinutes, filter } = rule;
    try {
      return evaluateRule(rule, await readAlertValue(query, { projectId, metric, windowMinutes, filter }));
    } catch (error) {
      log.warn({ reason: errorMessage(error), rule: id }, "an alert rule could not be evaluated; trying again in a minute");
      const problem =
        "Its figures could not be read in time. A shorter window or a narrower filter may help; it is tried again every minute.";
      return { isFiring: rule.is_firing, belows: rule.belows, value: null, problem };
    }
  }

  async function sendSome(): Promise<boolean> {
    quiet.messages = !(await areAnyPending(query));
    if (quiet.messages) {
      return false;
    }
    const due = await claimDueNotifications(query);
    await Promise.all(
      due.map((message) =>
        send(message).catch((error: unknown) =>
          log.warn({ err: error, notification: message.id }, "what became of an alert could not be noted; it may be sent again"),
        ),
      ),
    );
    return due.length > 0;
  }

  async function send(due: DueNotification): Promise<void> {
    const {
      channel_id: id,
      channel_kind: kind,
      tenant_id,
      sealed_url,
      sealed_secret,
      is_last_try: _isLastTry,
      issues: told,
      experiment_id: finished,
      ...message
    } = due;
    const issues = told === null ? null : await readToldIssues(query, message.project_id, told);
    const experiment = finished === null ? null : await readToldExperiment(query, message.project_id, finished);
    const problem = await tellChannel(access, { id, tenant_id, kind, sealed_url, sealed_secret }, { ...message, issues, experiment });
    await (problem === undefined ? noteDelivered(query, due.id) : noteUndelivered(query, due, problem));
    await noteChannelUse(query, id, problem ?? null);
    if (problem !== undefined) {
      log.warn({ notification: due.id, channel: id, tries: due.tries, reason: problem }, "an alert was not delivered");
    }
  }

  const evaluateDue = (stopping = new AbortController().signal) => inRounds(evaluateSome, stopping);
  const sendDue = (stopping = new AbortController().signal) => inRounds(sendSome, stopping);
  return {
    evaluateDue,
    sendDue,
    ...repeat({
      log,
      tasks: [
        {
          name: "evaluating alert rules",
          everyMs: EVALUATE_EVERY_MS,
          restMs: () => (quiet.rules ? QUIET_MS : REST_MS),
          wakenBy,
          share: EVALUATING_SHARE,
          run: evaluateDue,
        },
        {
          name: "sending alerts",
          everyMs: SEND_EVERY_MS,
          restMs: () => (quiet.messages ? QUIET_MS : REST_MS),
          wakenBy: (wake) => [wakenBy, evaluated.wakenBy].forEach((by) => by(wake)),
          share: SENDING_SHARE,
          run: sendDue,
        },
        { name: "deleting old alerts", everyMs: FORGET_EVERY_MS, share: FORGETTING_SHARE, run: () => forgetOldAlertEvents(query) },
      ],
    }),
  };
}
