import { sql } from "kysely";
import type { Query } from "#schema.ts";

export type Change = { readonly project_id: string; readonly producer_id: string; readonly changed_at: string };

/**
 * Finds producers whose events were written since then (without it, since now), or that were found to be gone, by the
 * database's clock, which it returns too. Readers who may see the projects learn only that something happened.
 */
export async function findChanges(
  query: Query,
  { projectIds, since }: { readonly projectIds: readonly string[]; readonly since: Date | undefined },
): Promise<{ readonly now: Date; readonly changes: readonly Change[] }> {
  const from = sql`coalesce(${since ?? null}::timestamptz, now())`;
  const { rows } = await sql<{ now: Date; changes: readonly Change[] }>`
    select now() as now, coalesce((
      select json_agg(json_build_object('project_id', project_id, 'producer_id', producer_id, 'changed_at', greatest(heard_at, gone_at)))
      from observability.producers
      where project_id = any(${[...projectIds]}::uuid[]) and (heard_at > ${from} or gone_at > ${from})
    ), '[]') as changes`.execute(query);
  return rows[0] ?? { now: new Date(), changes: [] };
}
