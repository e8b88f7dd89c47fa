import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** Notes a cancellation for the process that runs `call`, and deletes those that are too old to matter. */
export async function noteCancellation({ query }: CodeIndexDatabase, call: string): Promise<void> {
  await sql`
    with swept as (delete from codeindex.mcp_cancellations where cancelled_at < now() - interval '1 minute' and call <> ${call})
    insert into codeindex.mcp_cancellations (call, cancelled_at) values (${call}, clock_timestamp())
    on conflict (call) do update set cancelled_at = excluded.cancelled_at
  `.execute(query);
}

/** A call of this process, and for how long it has run. */
export type Running = { readonly call: string; readonly seconds: number };

/** Seconds by which a cancellation may overtake its call: each has a connection of its own, and is authenticated. */
const MAX_AHEAD = 5;

/** Takes the cancellations noted for these calls since shortly before they began; older ones were for other calls of the same name. */
export async function takeCancellations({ query }: CodeIndexDatabase, running: readonly Running[]): Promise<readonly string[]> {
  const { rows } = await sql<{ call: string }>`
    delete from codeindex.mcp_cancellations as cancelled
    using unnest(${running.map(({ call }) => call)}::text[], ${running.map(({ seconds }) => seconds)}::float8[]) as running (call, seconds)
    where cancelled.call = running.call and cancelled.cancelled_at > clock_timestamp() - (running.seconds + ${MAX_AHEAD}) * interval '1 second'
    returning cancelled.call
  `.execute(query);
  return rows.map(({ call }) => call);
}
