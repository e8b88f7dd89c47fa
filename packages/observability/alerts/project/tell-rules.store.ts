import { sql, type Transaction } from "kysely";
import type { ToldIssue } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";

type Told = {
  readonly metric: "issues" | "experiments";
  readonly value: number | null;
  readonly issues: readonly ToldIssue[] | null;
  readonly experimentId: string | null;
  /** How long the messages wait before they are sent. */
  readonly waitS: number;
};

/** Has the project's rules of a kind tell their channels of something, in the transaction that did it: however many replicas there are, and whenever one dies, once. */
export async function tellRules(transaction: Transaction<ObservabilitySchema>, projectId: string, told: Told): Promise<void> {
  const { rows: events } = await sql<{ id: string }>`
    insert into observability.alert_events
      (id, project_id, rule_id, rule_name, kind, metric, threshold, window_minutes, filter, value, issues, experiment_id)
    select gen_random_uuid(), project_id, id, name, 'fired', metric, threshold, window_minutes, filter, ${told.value}::double precision,
      ${told.issues === null ? null : JSON.stringify(told.issues)}::jsonb, ${told.experimentId}::uuid
    from observability.alert_rules where project_id = ${projectId}::uuid and metric = ${told.metric} and is_enabled
    returning id`.execute(transaction);
  await sql`
    insert into observability.alert_notifications (id, event_id, channel_id, next_try_at)
    select gen_random_uuid(), event.id, channel.id, now() + ${told.waitS} * interval '1 second'
    from observability.alert_events as event
    join observability.alert_rules as rule on rule.id = event.rule_id
    join observability.alert_channels as channel on channel.project_id = rule.project_id and channel.id = any(rule.channel_ids)
    where event.id = any(${events.map(({ id }) => id)}::uuid[])`.execute(transaction);
}
