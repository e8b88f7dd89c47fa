import { sql, type RawBuilder } from "kysely";
import type { NumberRange } from "#contract.ts";
import { and, or, type Context, type SqlCondition } from "./condition.ts";
import { isWithin, isWithinInSql } from "./number-range.ts";
import { hasKeys } from "./text-values.ts";

/** Gaps are rare: only where there are some of its producers is a trace looked at. */
export async function hasLost(ranges: readonly NumberRange[], context: Context): Promise<SqlCondition> {
  const { rows } = await sql<{ producer: string }>`
    select distinct producer_id::text as producer from observability.ingest_gaps where project_id = ${context.projectId}::uuid`.execute(
    context.query,
  );
  const producers = rows.map(({ producer }) => producer);
  const mayHave = await hasKeys("producer", producers, "any", context);
  const lost = lostEvents(context.projectId);
  return or([
    ...(ranges.some((range) => isWithin(0, range)) ? [sql<boolean>`not ${mayHave}`] : []),
    ...(producers.length === 0 ? [] : [and([mayHave, or(ranges.map((range) => isWithinInSql(lost, range)))])]),
  ]);
}

/** Events known to be missing between those of an `entry`, and around them while its start or end has not arrived. */
function lostEvents(projectId: string): RawBuilder<number> {
  const project = sql`${projectId}::uuid`;
  return sql<number>`(
    select coalesce(sum(gap.last_seq - gap.first_seq + 1), 0)::bigint
    from unnest(entry.producers, entry.first_seqs, entry.last_seqs) as span (producer, first_seq, last_seq)
    cross join lateral (
      select coalesce(case when not entry.is_whole[1] then (
          select max(before.first_seq) from observability.ingest_gaps as before
          where before.project_id = ${project} and before.producer_id = span.producer and before.last_seq < span.first_seq
        ) end, span.first_seq) as first_seq,
        coalesce(case when not entry.is_whole[2] then (
          select min(behind.last_seq) from observability.ingest_gaps as behind
          where behind.project_id = ${project} and behind.producer_id = span.producer and behind.first_seq > span.last_seq
        ) end, span.last_seq) as last_seq
    ) as reach
    join observability.ingest_gaps as gap on gap.project_id = ${project} and gap.producer_id = span.producer
      and gap.first_seq <= reach.last_seq and gap.last_seq >= reach.first_seq
  )`;
}
