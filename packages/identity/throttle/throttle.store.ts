import { sql } from "kysely";
import type { Queries, Transaction } from "#schema.ts";

/**
 * Allows `tries` in a window. Beyond them nothing is allowed until the window ends, or there is a pause that doubles,
 * or every try is allowed after a delay.
 */
export type Limit = {
  readonly tries: number;
  readonly windowSeconds: number;
  readonly pause?: Growth;
  readonly delay?: Growth;
};

export type Growth = { readonly firstSeconds: number; readonly mostSeconds: number };

/** The number of tries including the granted one, or when the block ends. */
export type Taken = { readonly tries: number } | { readonly blockedUntil: Date };

/** Takes one try in one statement, so that tries made at once on several replicas are counted one after the other. */
export async function takeTry(queries: Queries, key: string, limit: Limit, now: Date): Promise<Taken> {
  const windowEnd = new Date(now.getTime() + limit.windowSeconds * 1000);
  const { rows } = await sql<{ tries: number }>`
    insert into identity.throttles as throttle (key, tries, blocked_until, expires_at)
    values (${key}, 1, null, ${windowEnd}::timestamptz)
    on conflict (key) do update set
      tries = case when throttle.expires_at <= ${now}::timestamptz then 1 else throttle.tries + 1 end,
      blocked_until = case
        when throttle.expires_at <= ${now}::timestamptz or throttle.tries + 1 < ${limit.tries}::int then null
        else ${blockEnd(limit, now)} end,
      expires_at = case
        when throttle.expires_at <= ${now}::timestamptz then ${windowEnd}::timestamptz
        else ${countEnd(limit, windowEnd)} end
    where throttle.expires_at <= ${now}::timestamptz or throttle.blocked_until is null or throttle.blocked_until <= ${now}::timestamptz
    returning tries`.execute(queries);
  const [granted] = rows;
  if (granted !== undefined) {
    return granted;
  }
  const blocked = await queries.selectFrom("identity.throttles").select("blocked_until").where("key", "=", key).executeTakeFirst();
  return { blockedUntil: blocked?.blocked_until ?? windowEnd };
}

/** @returns false for the second and every later time, whatever replica is asked, until housekeeping deletes it at its end. */
export async function takeOnce(transaction: Transaction, key: string, end: Date): Promise<boolean> {
  const row = { key, tries: 1, blocked_until: null, expires_at: end };
  const kept = transaction.insertInto("identity.throttles").values(row);
  return (
    (await kept
      .onConflict((conflict) => conflict.doNothing())
      .returning("key")
      .executeTakeFirst()) !== undefined
  );
}

export async function giveTryBack(queries: Queries, key: string, limit: Limit): Promise<void> {
  await sql`
    update identity.throttles
    set tries = greatest(tries - 1, 0), blocked_until = case when tries - 1 < ${limit.tries}::int then null else blocked_until end
    where key = ${key}`.execute(queries);
}

export async function forgetTries(queries: Queries, key: string): Promise<void> {
  await queries.deleteFrom("identity.throttles").where("key", "=", key).execute();
}

export async function deleteExpiredThrottles(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.throttles").where("expires_at", "<=", now).execute();
}

function blockEnd({ tries, pause, delay }: Limit, now: Date) {
  if (delay !== undefined) {
    return sql`null::timestamptz`;
  }
  return pause === undefined ? sql`throttle.expires_at` : sql`${now}::timestamptz + ${pauseAfter(tries, pause)}`;
}

/** Without pauses the window is fixed. With pauses it begins again at every try, so that the pause goes on doubling. */
function countEnd({ tries, pause }: Limit, windowEnd: Date) {
  if (pause === undefined) {
    return sql`throttle.expires_at`;
  }
  return sql`${windowEnd}::timestamptz + case when throttle.tries + 1 < ${tries}::int then interval '0' else ${pauseAfter(tries, pause)} end`;
}

function pauseAfter(tries: number, { firstSeconds, mostSeconds }: Growth) {
  const doublings = sql`least(throttle.tries + 1 - ${tries}::int, 16)`;
  return sql`make_interval(secs => least(${firstSeconds}::float8 * power(2, ${doublings}), ${mostSeconds}::float8))`;
}
