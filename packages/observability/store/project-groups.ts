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

/** Where a project's rows are. */
export type Place = {
  /** The number that Citus gives the node. */
  readonly node: number;
  readonly address: NodeAddress;
  /** The shard of `traces` that has the project's; Citus keeps those of the other tables with it. */
  readonly shard: number;
  /** Whether the node knows where shards are, itself, and has the only copy of this one: it can be written there without the coordinator. */
  readonly isWhole: boolean;
};

export type NodeAddress = { readonly host: string; readonly port: number };

type PlaceRow = { shard: number; node: number; host: string; port: number; is_whole: boolean };

const PLACE = sql`placement.shardid as shard, node.groupid as node, node.nodename as host, node.nodeport as port,
  node.groupid <> 0 and node.isactive and node.hasmetadata and node.metadatasynced
    and (select count(*) from pg_catalog.pg_dist_placement as copy where copy.shardid = placement.shardid) = 1 as is_whole`;

/** Tells where each project is, as it is now, where the tables are distributed by project; of one PostgreSQL nothing. */
export async function findPlaces(query: Query, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Place>> {
  if (ids.size === 0 || !(await isDistributed(query))) {
    return new Map();
  }
  const { rows } = await sql<PlaceRow & { id: string }>`
    select given.id, ${PLACE}
    from unnest(${[...ids]}::uuid[]) as given (id)
    join pg_catalog.pg_dist_placement as placement
      on placement.shardid = get_shard_id_for_distribution_column('observability.traces', given.id)
    join pg_catalog.pg_dist_node as node on node.groupid = placement.groupid and node.noderole = 'primary'`.execute(query);
  return new Map(rows.map((row) => [row.id, toPlace(row)]));
}

/** Tells where every shard of `traces` is, in the order of their numbers; of one PostgreSQL nothing. */
export async function listPlaces(query: Query): Promise<readonly Place[]> {
  if (!(await isDistributed(query))) {
    return [];
  }
  const { rows } = await sql<PlaceRow>`
    select ${PLACE}
    from pg_catalog.pg_dist_shard as shard
    join pg_catalog.pg_dist_placement as placement on placement.shardid = shard.shardid
    join pg_catalog.pg_dist_node as node on node.groupid = placement.groupid and node.noderole = 'primary'
    where shard.logicalrelid = 'observability.traces'::regclass
    order by placement.shardid`.execute(query);
  return rows.map(toPlace);
}

function toPlace({ shard, node, host, port, is_whole: isWhole }: PlaceRow): Place {
  return { node, address: { host, port }, shard, isWhole };
}

/**
 * Tells what the tables that go with a shard of `traces` are called on its node, and the copies that every node has: by their names, both
 * without the schema.
 */
export async function findShardTables(query: Query, shard: number): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; shard: number }>`
    select relation.relname as name, own.shardid as shard
    from pg_catalog.pg_dist_shard as given
    join pg_catalog.pg_dist_partition as divided on divided.logicalrelid = given.logicalrelid
    join pg_catalog.pg_dist_partition as beside on beside.colocationid = divided.colocationid or beside.repmodel = 't'
    join pg_catalog.pg_dist_shard as own on own.logicalrelid = beside.logicalrelid
      and (own.shardminvalue = given.shardminvalue or beside.repmodel = 't')
    join pg_catalog.pg_class as relation on relation.oid = own.logicalrelid and relation.relnamespace = 'observability'::regnamespace
    where given.shardid = ${shard}`.execute(query);
  return new Map(rows.map((row) => [row.name, `${row.name}_${row.shard}`]));
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
