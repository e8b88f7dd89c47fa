import { sql } from "kysely";
import type { AlertChannelKind, AlertEvent, AlertFilter, AlertMetric, ToldIssue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRole, type InProject } from "#store/reader.ts";

export type DueNotification = {
  readonly id: string;
  readonly tries: number;
  readonly created_at: Date;
  readonly channel_id: string;
  readonly channel_kind: AlertChannelKind;
  readonly sealed_url: string;
  readonly sealed_secret: string | null;
  readonly tenant_id: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly kind: "fired" | "resolved";
  readonly metric: AlertMetric;
  readonly threshold: number;
  readonly window_minutes: number;
  readonly filter: AlertFilter;
  readonly value: number | null;
  readonly issues: readonly ToldIssue[] | null;
  readonly experiment_id: string | null;
  readonly at: Date;
  /** When it can't be sent this time either, it is given up. */
  readonly is_last_try: boolean;
};

const AT_ONCE = 20;
/** Longer than sending a message may take. When a replica dies with a message in hand, another one sends it after that. */
const LEASE_S = 30;
const GIVEN_UP_AFTER = "1 hour";

/** Whether messages wait to be sent, now or later. */
export async function areAnyPending(query: Query): Promise<boolean> {
  const { rows } = await sql`select from observability.alert_notifications where state = 'pending' limit 1`.execute(query);
  return rows.length > 0;
}

/** Claims messages that are due, each for one replica. */
export async function claimDueNotifications(query: Query): Promise<readonly DueNotification[]> {
  const { rows } = await sql<DueNotification>`
    with taken as (
      update observability.alert_notifications as notification
      set tries = notification.tries + 1, next_try_at = now() + ${LEASE_S} * interval '1 second'
      where notification.id in (
        select due.id from observability.alert_notifications as due
        where due.state = 'pending' and due.next_try_at <= now()
        order by due.next_try_at limit ${AT_ONCE} for update skip locked
      )
      returning notification.*
    )
    select taken.id, taken.tries, taken.created_at, channel.id as channel_id, channel.kind as channel_kind, channel.sealed_url,
      channel.sealed_secret, project.tenant_id, project.id as project_id, project.name as project_name, event.rule_id, event.rule_name, event.kind,
      event.metric, event.threshold, event.window_minutes, event.filter, event.value, event.issues, event.experiment_id, event.at,
      taken.created_at <= now() - interval '${sql.raw(GIVEN_UP_AFTER)}' as is_last_try
    from taken
    join observability.alert_channels as channel on channel.id = taken.channel_id
    join observability.alert_events as event on event.id = taken.event_id
    join observability.projects as project on project.id = event.project_id`.execute(query);
  return rows;
}

export async function noteDelivered(query: Query, id: string): Promise<void> {
  await sql`
    update observability.alert_notifications set state = 'sent', sent_at = now(), problem = null where id = ${id} and state = 'pending'
  `.execute(query);
}

/** Schedules the next try, with pauses that double; gives up after an hour. */
export async function noteUndelivered(
  query: Query,
  { id, tries, is_last_try: isLastTry }: Pick<DueNotification, "id" | "tries" | "is_last_try">,
  problem: string,
): Promise<void> {
  const pauseS = Math.min(5 * 2 ** Math.min(tries, 10), 900);
  await sql`
    update observability.alert_notifications set problem = ${problem}, state = ${isLastTry ? "dead" : "pending"},
      next_try_at = now() + ${pauseS} * interval '1 second'
    where id = ${id} and state = 'pending'`.execute(query);
}

type EventsQuery = InProject & {
  readonly ruleId: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

type EventRow = Omit<AlertEvent, "at" | "notifications"> & {
  readonly at: Date;
  readonly position: string;
  readonly notifications: AlertEvent["notifications"];
};

/** Lists the events, newest first. */
export async function listAlertEvents(
  query: Query,
  { projectId, reader, ruleId, after, limit }: EventsQuery,
): Promise<readonly EventRow[]> {
  const { rows } = await sql<EventRow>`
    select event.id, event.rule_id, event.rule_name, event.kind, event.metric, event.threshold, event.window_minutes, event.value, event.issues, event.experiment_id, event.at,
      ${selectMicros("event.at")} as position,
      coalesce((
        select json_agg(json_build_object('id', notification.id, 'channel', channel.name, 'state', notification.state,
          'tries', notification.tries, 'problem', notification.problem,
          'sent_at', to_char(notification.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by channel.name, notification.id)
        from observability.alert_notifications as notification
        join observability.alert_channels as channel on channel.id = notification.channel_id
        where notification.event_id = event.id
      ), '[]') as notifications
    from observability.alert_events as event
    join observability.projects as project on project.id = event.project_id
    where event.project_id = ${projectId} and ${hasRole(reader, "viewer")}
      ${ruleId === undefined ? sql`` : sql`and event.rule_id = ${ruleId}`}
      ${after === undefined ? sql`` : sql`and ${isAfter("event.at", "event.id", after)}`}
    order by event.at desc, event.id desc limit ${limit}`.execute(query);
  return rows;
}
