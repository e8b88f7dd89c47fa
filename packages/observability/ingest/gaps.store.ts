import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";

/** How many producers of each project one call checks. */
const AT_ONCE = 200;

/**
 * Finds gaps in the numbers of producers. Each number that is missing becomes part of one once it has been known to be missing for
 * `windowMs`; a gap whose events arrive later shrinks or is deleted.
 *
 * @returns whether any producer's numbers had to be checked, how many events were newly found lost, and whether there may be producers that
 * were not checked at `now` or later.
 */
export async function settleGaps(
  query: Query,
  { each, windowMs, now }: Settling & { readonly each: EachOwner },
): Promise<{ readonly checked: boolean; readonly lost: number; readonly isMore: boolean }> {
  const { rows: projects } = await sql<{ id: string }>`
    select project_id as id from observability.producers
    where holes <> lost and (checked_at is null or checked_at < ${now})
    group by project_id order by project_id`.execute(query);
  let [lost, isMore] = [0, false];
  await each(projects, {
    idOf: ({ id }) => id,
    work: async ({ id }) => {
      const settled = await settleGapsOf(query, id, { windowMs, now });
      [lost, isMore] = [lost + settled.lost, isMore || settled.isMore];
    },
  });
  return { checked: projects.length > 0, lost, isMore };
}

type Settling = { readonly windowMs: number; readonly now: Date };

async function settleGapsOf(
  query: Query,
  projectId: string,
  { windowMs, now }: Settling,
): Promise<{ readonly lost: number; readonly isMore: boolean }> {
  const ripe = new Date(now.getTime() - windowMs);
  return query.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ project_id: string; producer_id: string; newly_lost: number }>`
      with due as (
        select project_id, producer_id, holes, lost, suspects, suspected_at
        from observability.producers
        where project_id = ${projectId}::uuid and holes <> lost and (checked_at is null or checked_at < ${now})
        order by checked_at nulls first
        limit ${AT_ONCE}
        for update
      )
      update observability.producers as producer
      set lost = due.holes * (due.lost + known.ripe), suspects = kept.suspects, suspected_at = kept.suspected_at, checked_at = ${now}
      from due
      cross join lateral (
        select coalesce(range_agg(numbers), '{}') as numbers, coalesce(range_agg(numbers) filter (where since <= ${ripe}), '{}') as ripe
        from unnest(due.suspects, due.suspected_at) as suspect (numbers, since)
      ) as known
      cross join lateral (
        select coalesce(array_agg(numbers order by since), '{}') as suspects, coalesce(array_agg(since order by since), '{}') as suspected_at
        from (
          select due.holes * numbers as numbers, since from unnest(due.suspects, due.suspected_at) as suspect (numbers, since)
          where since > ${ripe}
          union all
          select due.holes - due.lost - known.numbers, ${now}::timestamptz
        ) as suspect
        where not isempty(numbers)
      ) as kept
      where producer.project_id = ${projectId}::uuid and producer.project_id = due.project_id and producer.producer_id = due.producer_id
      returning producer.project_id, producer.producer_id, (
        select coalesce(sum(upper(range) - lower(range)), 0)::bigint from unnest(producer.lost - due.lost) as range
      ) as newly_lost`.execute(transaction);
    if (rows.length === 0) {
      return { lost: 0, isMore: false };
    }
    const keys = JSON.stringify(rows);
    // One pass over the ranges: searching them for each gap would take hours for a producer that leaves out every other number.
    await sql`
      with lost as materialized (
        select ${keyOf("producer", sql`lower(range)`, sql`upper(range) - 1`)} as key
        from json_to_recordset(${keys}) as due (project_id uuid, producer_id uuid)
        join observability.producers as producer using (project_id, producer_id), unnest(producer.lost) as range
        where producer.project_id = ${projectId}::uuid
      )
      delete from observability.ingest_gaps as gap
      using json_to_recordset(${keys}) as due (project_id uuid, producer_id uuid)
      where gap.project_id = ${projectId}::uuid and gap.project_id = due.project_id and gap.producer_id = due.producer_id
        and ${keyOf("gap", sql.ref("gap.first_seq"), sql.ref("gap.last_seq"))} not in (select key from lost)`.execute(transaction);
    await sql`
      insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq)
      select producer.project_id, producer.producer_id, lower(range), upper(range) - 1
      from json_to_recordset(${keys}) as due (project_id uuid, producer_id uuid)
      join observability.producers as producer using (project_id, producer_id), unnest(producer.lost) as range
      where producer.project_id = ${projectId}::uuid
      on conflict do nothing`.execute(transaction);
    return { lost: rows.reduce((sum, row) => sum + row.newly_lost, 0), isMore: rows.length === AT_ONCE };
  });
}

/** One value and not a row: Citus passes on no comparison of rows with a subquery. */
function keyOf(table: "producer" | "gap", first: RawBuilder<unknown>, last: RawBuilder<unknown>) {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`(${column("project_id")}::text || ' ' || ${column("producer_id")}::text || ' ' || (${first})::text || ' ' || (${last})::text)`;
}
