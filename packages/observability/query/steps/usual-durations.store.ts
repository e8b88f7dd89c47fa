import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { selectPercentile } from "#counting/duration-buckets.ts";

export type NamedKind = { readonly kind: string; readonly name: string };

/** Ended runs of a name below which it is unknown what is usual. */
const ENOUGH = 20;
/** Hourly figures keep this many characters of a name. */
export const MAX_NAME = 200;

/** How long 99 of 100 of each of these took since then, in milliseconds; without those of which too few are known. */
export async function findUsualDurations(
  query: Kysely<ObservabilitySchema>,
  { projectId, since, of }: { readonly projectId: string; readonly since: Date; readonly of: readonly NamedKind[] },
): Promise<readonly (NamedKind & { readonly p99_ms: number })[]> {
  const { rows } = await sql<NamedKind & { readonly p99_ms: number }>`
    with summed as (
      select kind, name, bucket, sum(count) as count
      from observability.hourly cross join unnest(buckets, counts) as held (bucket, count)
      where project_id = ${projectId} and hour >= ${since} and number = 'duration_ms'
        and (kind, name) in (select kind, name from json_to_recordset(${JSON.stringify(of)}) as asked (kind text, name text))
      group by kind, name, bucket
    ), ranked as (
      select *, sum(count) over (partition by kind, name order by bucket) as reached, sum(count) over (partition by kind, name) as timed
      from summed
    )
    select kind, name, ${selectPercentile(0.99)} as p99_ms
    from ranked where timed >= ${ENOUGH} group by kind, name`.execute(query);
  return rows;
}
