import { sql } from "kysely";
import type { AlertFilter } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { MeasuredMetric } from "./alert-values.store.ts";

export type ClaimedRule = {
  readonly id: string;
  readonly project_id: string;
  readonly metric: MeasuredMetric;
  readonly threshold: number;
  readonly window_minutes: number;
  readonly filter: AlertFilter;
  readonly is_firing: boolean;
  readonly belows: number;
};

/** Few enough to be finished before they are due again, however slow they are. */
const AT_ONCE = 5;
/** A little less than a minute, so that a task that runs every few seconds makes it about one. */
const EVERY_S = 55;

/** Rules for issues and experiments are told by whoever finds or ends these. */
const isMeasured = sql`is_enabled and metric not in ('issues', 'experiments')`;

export async function areAnyRulesEnabled(query: Query): Promise<boolean> {
  const { rows } = await sql`select from observability.alert_rules where ${isMeasured} limit 1`.execute(query);
  return rows.length > 0;
}

const isDue = sql`${isMeasured} and (claimed_at is null or claimed_at <= now() - ${EVERY_S} * interval '1 second')`;

/** Claims rules that were not evaluated for a minute, of all projects in turn, so that one whose rules take long holds up no other. Each goes to one replica; when that replica dies, the rule waits a minute. */
export async function claimDueRules(query: Query, claim: string): Promise<readonly ClaimedRule[]> {
  const { rows } = await sql<ClaimedRule>`
    update observability.alert_rules as rule set claim = ${claim}::uuid, claimed_at = now()
    where rule.id in (
      select due.id from observability.alert_rules as due
      join (
        select id, row_number() over (partition by project_id order by claimed_at nulls first) as turn from observability.alert_rules where ${isDue}
      ) as turns using (id)
      where ${isDue}
      order by turns.turn, due.claimed_at nulls first limit ${AT_ONCE} for update of due skip locked
    )
    returning rule.id, rule.project_id, rule.metric, rule.threshold, rule.window_minutes, rule.filter, rule.is_firing, rule.belows`.execute(
    query,
  );
  return rows;
}

export type Verdict = {
  readonly isFiring: boolean;
  readonly belows: number;
  readonly value: number | null;
  /** Set when it could not be evaluated: it then fires as before. */
  readonly problem: string | null;
};

type Settled = { readonly rule: ClaimedRule; readonly claim: string; readonly verdict: Verdict; readonly eventId: string };

/**
 * Writes the result, and in the same transaction a change of state with the messages about it. Does nothing when the
 * rule was changed or claimed by another replica meanwhile.
 */
export async function settleRule(query: Query, { rule, claim, verdict, eventId }: Settled): Promise<boolean> {
  const isChange = verdict.isFiring !== rule.is_firing;
  return query.transaction().execute(async (transaction) => {
    const { rows } = await sql`
      update observability.alert_rules set
        is_firing = ${verdict.isFiring}, belows = ${verdict.belows}, last_value = ${verdict.value}, problem = ${verdict.problem},
        evaluated_at = now(), since = ${isChange ? sql`now()` : sql`least(since, now())`}, claim = null
      where id = ${rule.id} and claim = ${claim}::uuid and is_enabled
      returning id`.execute(transaction);
    if (rows.length === 0 || !isChange) {
      return rows.length > 0;
    }
    await sql`
      insert into observability.alert_events (id, project_id, rule_id, rule_name, kind, metric, threshold, window_minutes, filter, value)
      select ${eventId}::uuid, project_id, id, name, ${verdict.isFiring ? "fired" : "resolved"}, metric, threshold, window_minutes, filter, last_value
      from observability.alert_rules where id = ${rule.id}`.execute(transaction);
    await sql`
      insert into observability.alert_notifications (id, event_id, channel_id)
      select gen_random_uuid(), ${eventId}::uuid, channel.id
      from observability.alert_rules as rule
      join observability.alert_channels as channel on channel.project_id = rule.project_id and channel.id = any(rule.channel_ids)
      where rule.id = ${rule.id}`.execute(transaction);
    return true;
  });
}

/** Deletes events that are too old to be listed. */
export async function forgetOldAlertEvents(query: Query): Promise<void> {
  await sql`
    delete from observability.alert_events where id in (
      select id from observability.alert_events where at < now() - interval '90 days' limit 1000
    )`.execute(query);
}
