import { sql } from "kysely";
import type { Query } from "#schema.ts";

const distributed = new WeakMap<Query, Promise<boolean>>();

/**
 * Divides projects into those that one statement may lock or change together: all of them, and each alone where the tables are
 * distributed by project (`sightline cluster distribute`), since a statement with locks reaches one node.
 *
 * @param query Not a transaction: what it finds is remembered with it, as long as the process lives.
 */
export async function groupProjects(query: Query, ids: Iterable<string>): Promise<readonly (readonly string[])[]> {
  const all = [...new Set(ids)];
  if (all.length < 2) {
    return all.length === 0 ? [] : [all];
  }
  return (await isDistributed(query)) ? all.map((id) => [id]) : [all];
}

/** Tells on which node each project is, by the number that Citus gives it, where the tables are distributed by project; of one PostgreSQL nothing. */
export async function findNodes(query: Query, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  if (ids.size === 0 || !(await isDistributed(query))) {
    return new Map();
  }
  const { rows } = await sql<{ id: string; node: number }>`
    select given.id, placement.groupid as node from unnest(${[...ids]}::uuid[]) as given (id)
    join pg_catalog.pg_dist_placement as placement
      on placement.shardid = get_shard_id_for_distribution_column('observability.traces', given.id)`.execute(query);
  return new Map(rows.map(({ id, node }) => [id, node]));
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
  const { rows } = await sql<{ has_citus: boolean }>`select to_regclass('pg_catalog.pg_dist_partition') is not null as has_citus`.execute(
    query,
  );
  if (rows[0]?.has_citus !== true) {
    return false;
  }
  const { rows: found } = await sql`
    select from pg_catalog.pg_dist_partition where logicalrelid = 'observability.traces'::regclass and partmethod = 'h'`.execute(query);
  return found.length > 0;
}
