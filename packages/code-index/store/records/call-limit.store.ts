import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type Calling = { readonly caller: string; readonly perMinute: number };

/** An allowance that ends later than any that was given: the clock of the database was set back since. */
const CLOCK_WAS_SET_BACK = sql`interval '2 minutes'`;

/**
 * Takes one of the caller's calls in one statement, so that calls made at once of several processes are counted one after the
 * other, by the database's clock. Returns `undefined`, or the seconds until there is a call again; then it took none.
 *
 * The generic cell rate algorithm (ITU-T I.371): `full_at` is its theoretical arrival time, a minute its tolerance.
 */
export async function takeCall({ query }: CodeIndexDatabase, { caller, perMinute }: Calling): Promise<number | undefined> {
  const cost = sql`${60 / perMinute}::float8 * interval '1 second'`;
  const fullAt = sql`greatest(clock_timestamp(), case
    when allowance.full_at < clock_timestamp() + ${CLOCK_WAS_SET_BACK} then allowance.full_at end)`;
  const { rows: taken } = await sql`
    insert into codeindex.mcp_allowances as allowance (caller, full_at) values (${caller}, clock_timestamp() + ${cost})
    on conflict (caller) do update set full_at = ${fullAt} + ${cost}
    where ${fullAt} + ${cost} <= clock_timestamp() + interval '1 minute'
    returning 1
  `.execute(query);
  if (taken.length > 0) {
    return undefined;
  }
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from ${fullAt} + ${cost} - clock_timestamp())::float8 - 60 as seconds
    from codeindex.mcp_allowances as allowance where caller = ${caller}
  `.execute(query);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/** Forgets a batch of the callers who have all their calls again; true when there may be more. */
export async function forgetCallers({ query }: CodeIndexDatabase): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from codeindex.mcp_allowances where caller = any(array(
      select caller from codeindex.mcp_allowances where full_at < now() limit ${BATCH} for update skip locked
    ))
  `.execute(query);
  return numAffectedRows >= BATCH;
}

const BATCH = 1_000;
