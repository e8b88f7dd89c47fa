import { errorMessage } from "@sightline/foundation/errors";
import { sql } from "kysely";
import { hasCitus, listNodes, placedTenants, type ClusterNode, type PlacedTenant } from "#store/tenancy/cluster.store.ts";
import { withinTenant, type CodeIndexDatabase, type TenantSchema } from "#store/tenancy/tenant.ts";

export type Cluster = {
  /** The coordinator first. */
  readonly nodes: readonly ClusterNode[];
  readonly tenants: readonly PlacedTenant[];
  /** What is in the way of moving tenants, or of reading them; empty when all is well. */
  readonly problems: readonly string[];
};

/** How the database is spread, for people; undefined where it has no Citus. */
export async function describeCluster(database: CodeIndexDatabase): Promise<Cluster | undefined> {
  if (!(await hasCitus(database.query))) {
    return undefined;
  }
  const [nodes, tenants] = [await listNodes(database.query), await placedTenants(database.query)];
  return { nodes, tenants, problems: [...(await unreadable(database, tenants)), ...(await unmovable(database, nodes))] };
}

/** Reads one tenant of each node as its role: what goes wrong for one goes wrong for all. */
async function unreadable(database: CodeIndexDatabase, tenants: readonly PlacedTenant[]): Promise<readonly string[]> {
  const first = new Map(tenants.toReversed().flatMap((tenant) => (tenant.node === null ? [] : [[tenant.node, tenant] as const])));
  const problems: string[] = [];
  for (const [node, { name, role, schema }] of first) {
    const read = withinTenant(database, { role, schema: schema as TenantSchema }, { readOnly: true }, (transaction) =>
      sql`select from ${sql.id(schema, "embedders")}`.execute(transaction),
    );
    await read.catch((error: unknown) => problems.push(`${node} does not let the tenant ${name} be read: ${errorMessage(error)}`));
  }
  return problems;
}

/** With one node there is nowhere to move to. */
async function unmovable(database: CodeIndexDatabase, nodes: readonly ClusterNode[]): Promise<readonly string[]> {
  if (nodes.filter((node) => node.takesTenants).length < 2) {
    return [];
  }
  const { rows } = await sql<{ node: string; level: string }>`
    select nodename || ':' || nodeport as node, result as level from run_command_on_workers('show wal_level') where success and result <> 'logical'
  `.execute(database.query);
  return rows.map(
    ({ node, level }) => `${node} has wal_level = ${level}: to move tenants while they are written, set logical and restart it`,
  );
}
