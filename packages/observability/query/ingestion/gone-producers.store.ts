import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";
import { groupProjects } from "#store/project-groups.ts";

/** Whether there is a producer that is not marked. */
export async function areAnyLiving(query: Query): Promise<boolean> {
  const { rows } = await sql`select from observability.producers where gone_at is null limit 1`.execute(query);
  return rows.length > 0;
}

/** Marks producers that said goodbye, with no event after it. */
export async function markEndedProducers(query: Query): Promise<void> {
  await markGone(query, sql`ended_at >= last_event_at`);
}

/** Marks producers that have been silent for so long; those that never sent a heartbeat have longer. */
export async function markSilentProducers(
  query: Query,
  { silentMs, withoutHeartbeatMs }: { readonly silentMs: number; readonly withoutHeartbeatMs: number },
): Promise<number> {
  return markGone(
    query,
    sql`heard_at < now() - interval '1 millisecond' *
      case when announced_seq is null then ${withoutHeartbeatMs}::double precision else ${silentMs} end`,
  );
}

/** Rows that a writer has locked are skipped: something has just come from those. */
async function markGone(query: Query, isGone: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from observability.producers where gone_at is null and ${isGone} group by project_id order by project_id`.execute(
    query,
  );
  let marked = 0;
  for (const projects of await groupProjects(
    query,
    rows.map((row) => row.project_id),
  )) {
    const { rows: gone } = await sql`
      update observability.producers set gone_at = now()
      where project_id = any(${projects}::uuid[]) and ctid = any(array(
        select ctid from observability.producers
        where project_id = any(${projects}::uuid[]) and gone_at is null and ${isGone} for update skip locked
      ))
      returning producer_id`.execute(query);
    marked += gone.length;
  }
  return marked;
}
