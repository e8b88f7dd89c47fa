import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";

/** Counted traces of 1 s, 2 s, … that ended a minute ago, two minutes ago, … */
export async function endTraces(
  database: Pick<Database<ObservabilitySchema>, "pool">,
  projectId: string,
  count: number,
  status: "failure" | "success",
): Promise<void> {
  await database.pool.query(
    `insert into observability.trace_entries (project_id, trace_id, runs, last_run, sort_at, started_at, ended_at, waiting_ms, duration_ms,
      name, status, steps, failures, producers, first_seqs, last_seqs, is_whole, fields, scores, keys)
    select $1, id, array[id], id, at, at, at, 0, number * 1000, 'checkout-' || number, $3, 1, 0, '{}', '{}', '{}', '{}', '{}', '[]', '{}'
    from (select gen_random_uuid() as id, now() - number * interval '1 minute' as at, number from generate_series(1, $2::integer) as number) as trace`,
    [projectId, count, status],
  );
}
