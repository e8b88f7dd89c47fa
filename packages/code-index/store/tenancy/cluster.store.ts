import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

type Query = Kysely<CodeIndexTables>;

/** A tenant as far as nodes need to know it. */
type SchemaPlacement = { readonly schema: string; readonly role: string | null };

/** Whether the database is spread over several nodes, by Citus, and some of them take tenants. */
export async function isCluster(query: Query): Promise<boolean> {
  if (!(await hasCitus(query))) {
    return false;
  }
  const { rows } = await sql`select from pg_dist_node where shouldhaveshards and isactive and noderole = 'primary' limit 1`.execute(query);
  return rows.length > 0;
}

export async function hasCitus(query: Query): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(query);
  return rows.length > 0;
}

export type ClusterNode = {
  /** `host:port`, as Citus knows it. */
  readonly node: string;
  /** False of the coordinator, which keeps the service's own tables, and of nodes that are to be emptied. */
  readonly takesTenants: boolean;
  /** Of all tables that are spread; null when the node does not answer. */
  readonly bytes: number | null;
};

export async function listNodes(query: Query): Promise<readonly ClusterNode[]> {
  const { rows } = await sql<ClusterNode>`
    select ${address("node")} as node, node.shouldhaveshards and node.isactive as "takesTenants",
      case when count(shard.shardid) = 0 then 0 else sum(shard.shard_size)::bigint end as bytes
    from pg_dist_node as node
    left join citus_shards as shard on shard.nodename = node.nodename and shard.nodeport = node.nodeport
    where node.noderole = 'primary'
    group by node.groupid, node.nodename, node.nodeport, node.shouldhaveshards, node.isactive
    order by node.groupid
  `.execute(query);
  return rows;
}

export type PlacedTenant = SchemaPlacement & {
  readonly tenantId: string;
  readonly name: string;
  /** As in {@link ClusterNode}; null where the service's own tables are. */
  readonly node: string | null;
  readonly bytes: number | null;
};

/** Every tenant that is not being deleted, by name, and where it is. */
export async function placedTenants(query: Query): Promise<readonly PlacedTenant[]> {
  const { rows } = await sql<PlacedTenant>`
    with placed as (
      select schemaid, ${address("shard")} as node, sum(shard.shard_size)::bigint as bytes
      from pg_dist_schema join citus_shards as shard on shard.colocation_id = pg_dist_schema.colocationid
      group by schemaid, shard.nodename, shard.nodeport
    )
    select tenant.tenant_id as "tenantId", tenant.name, schema.nspname as schema, tenant.database_role as role, placed.node,
      case when placed.node is null then (
        select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class where relnamespace = schema.oid and relkind = 'r'
      ) else placed.bytes end as bytes
    from codeindex.tenants as tenant
    join pg_namespace as schema on schema.nspname = 'tenant_' || tenant.name
    left join placed on placed.schemaid = schema.oid
    where tenant.deleting_at is null
    order by tenant.name
  `.execute(query);
  return rows;
}

function address(alias: string) {
  return sql`${sql.ref(`${alias}.nodename`)} || ':' || ${sql.ref(`${alias}.nodeport`)}`;
}

/** A new tenant's schema goes to a node; of one that is on a node already the role is brought into the state it has there. */
export async function keepOnNode(transaction: Query, { isNew, ...place }: SchemaPlacement & { readonly isNew: boolean }): Promise<void> {
  if (isNew) {
    await distributeSchema(transaction, place);
  } else if (await isOnNode(transaction, place)) {
    await letNodesIn(transaction, place);
  }
}

async function isOnNode(query: Query, { schema }: SchemaPlacement): Promise<boolean> {
  const { rows } = await sql`
    select from pg_dist_schema where schemaid = (select oid from pg_namespace where nspname = ${schema})
  `.execute(query);
  return rows.length > 0;
}

/** Moves a tenant's schema from the coordinator to whichever node is next. Until the transaction ends nobody reads it. */
export async function distributeSchema(transaction: Query, place: SchemaPlacement): Promise<void> {
  await letNodesIn(transaction, place);
  // The names that a document defines have no key, by which changes could follow to another node.
  await sql`alter table ${sql.id(place.schema, "symbols")} replica identity full`.execute(transaction);
  await sql`select citus_schema_distribute(oid::regnamespace) from pg_namespace where nspname = ${place.schema}`.execute(transaction);
}

/**
 * Nodes call each other as the tenant's role. It has no password, so by none can anybody log in as it: how nodes are told
 * from others is said in docs/operations.md.
 */
async function letNodesIn(transaction: Query, { role }: SchemaPlacement): Promise<void> {
  const { rows } = await sql`select from pg_roles where rolname = ${role} and not rolcanlogin`.execute(transaction);
  if (role !== null && rows.length > 0) {
    await sql`alter role ${sql.id(role)} login`.execute(transaction);
  }
}

/**
 * Moves a tenant's schema from one node to another. It is read and written meanwhile, unless `blocksWrites`; what is
 * written follows by logical replication, for which every node needs `wal_level = logical`.
 */
export async function moveSchema(
  query: Query,
  { schema, node, blocksWrites = false }: Pick<SchemaPlacement, "schema"> & { readonly node: string; readonly blocksWrites?: boolean },
): Promise<void> {
  const mode = sql.lit(blocksWrites ? "block_writes" : "auto");
  await sql`
    select citus_schema_move(schema.oid::regnamespace, node.nodename, node.nodeport, ${mode})
    from pg_namespace as schema, pg_dist_node as node
    where schema.nspname = ${schema} and node.noderole = 'primary' and ${address("node")} = ${node}
  `.execute(query);
}
