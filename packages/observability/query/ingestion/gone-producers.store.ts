import { sql } from "kysely";
import type { Query } from "#schema.ts";

// Rows that a writer has locked are skipped: something has just come from those.

/** Marks producers that said goodbye, with no event after it. */
export async function markEndedProducers(query: Query): Promise<void> {
  await sql`
    update observability.producers set gone_at = now()
    where ctid = any(array(
      select ctid from observability.producers where gone_at is null and ended_at >= last_event_at for update skip locked
    ))`.execute(query);
}

/** Marks producers that have been silent for so long; those that never sent a heartbeat have longer. */
export async function markSilentProducers(
  query: Query,
  { silentMs, withoutHeartbeatMs }: { readonly silentMs: number; readonly withoutHeartbeatMs: number },
): Promise<number> {
  const { rows } = await sql`
    update observability.producers set gone_at = now()
    where ctid = any(array(
      select ctid from observability.producers
      where gone_at is null and heard_at < now() - interval '1 millisecond' *
        case when announced_seq is null then ${withoutHeartbeatMs}::double precision else ${silentMs} end
      for update skip locked
    ))
    returning producer_id`.execute(query);
  return rows.length;
}
