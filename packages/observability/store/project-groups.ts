import { sql } from "kysely";
import type { Query } from "#schema.ts";

const distributed = new WeakMap<Query, Promise<boolean>>();

/**
 * Groups projects by which rows one statement may lock together: all of them, and on a Citus cluster (`sightline cluster distribute`) those of one
 * shard each, since a statement with locks reaches one node.
 *
 * @param query Not a transaction: what it finds is remembered with it, as long as the process lives.
 */
export async function groupProjects(query: Query, ids: Iterable<string>): Promise<readonly (readonly string[])[]> {
  const all = [...new Set(ids)];
  if (all.length < 2 || !(await isDistributed(query))) {
    return all.length === 0 ? [] : [all];
  }
  const { rows } = await sql<{ id: string; shard: number }>`
    select id, get_shard_id_for_distribution_column('observability.traces', id) as shard from unnest(${all}::uuid[]) as project (id)`.execute(
    query,
  );
  return [...Map.groupBy(rows, ({ shard }) => shard).values()].map((group) => group.map(({ id }) => id));
}

async function isDistributed(query: Query): Promise<boolean> {
  const known = distributed.get(query);
  if (known !== undefined) {
    return known;
  }
  const asked = askWhetherDistributed(query);
  distributed.set(query, asked);
  // What could not be asked is asked again.
  asked.catch(() => distributed.delete(query));
  return asked;
}

async function askWhetherDistributed(query: Query): Promise<boolean> {
  const { rows } = await sql<{ has_citus: boolean }>`select to_regclass('citus_tables') is not null as has_citus`.execute(query);
  if (rows[0]?.has_citus !== true) {
    return false;
  }
  const { rows: found } = await sql`
    select from citus_tables where table_name = 'observability.traces'::regclass and citus_table_type = 'distributed'`.execute(query);
  return found.length > 0;
}
