import { refusal } from "@sightline/foundation/errors";
import type { Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { distributeSchema, isCluster, moveSchema, listNodes, placedTenants, type ClusterNode, type PlacedTenant } from "./cluster.store.ts";

/** Nodes that differ by less are as good as each other: to move even an empty schema takes a second. */
const WORTH_MOVING = 64 * 2 ** 20;

/**
 * Puts a tenant on a node while it is searched and indexed: the one asked for, else the one that the others' tables leave
 * most room on. Its statements take as long as there is to copy, so `query` must let them.
 *
 * A tenant that still is where the service's own tables are can't be searched until it is on its first node.
 *
 * @returns the node, and whether the tenant was not on it before.
 * @throws {AppError} 409 `not_a_cluster`, 404 `tenant_unknown`, 404 `node_unknown`, each with what to do.
 */
export async function placeTenant(
  query: Kysely<CodeIndexTables>,
  { name, node: wanted }: { readonly name: string; readonly node?: string | undefined },
): Promise<{ readonly node: string; readonly moved: boolean }> {
  if (!(await isCluster(query))) {
    throw refusal(409, "not_a_cluster", `The database is one server: it has no Citus, or no node was added to it. ${SEE}`);
  }
  const before = await findPlaced(query, name);
  const nodes = (await listNodes(query)).filter((node) => node.takesTenants);
  const target = wanted === undefined ? lightest(nodes, before) : nodes.find(({ node }) => node === wanted)?.node;
  if (target === undefined) {
    throw refusal(
      404,
      "node_unknown",
      `There is no node ${wanted ?? ""} that takes tenants. There are: ${nodes.map(({ node }) => node).join(", ")}`,
    );
  }
  if (before.node === null) {
    await query.transaction().execute((transaction) => distributeSchema(transaction, before));
  }
  const { node: current, schema } = await findPlaced(query, name);
  if (current !== target) {
    await moveSchema(query, { schema, node: target });
  }
  return { node: target, moved: before.node !== target };
}

const SEE = 'See "More than one PostgreSQL node" in docs/operations.md.';

async function findPlaced(query: Kysely<CodeIndexTables>, name: string): Promise<PlacedTenant> {
  const tenant = (await placedTenants(query)).find((known) => known.name === name);
  if (tenant === undefined) {
    throw refusal(404, "tenant_unknown", `There is no tenant ${name}. See them with: sightline tenant list`);
  }
  return tenant;
}

/** Spreads new tenants by size: Citus itself takes one node after the other. */
export async function placeNewTenant(query: Kysely<CodeIndexTables>, name: string): Promise<void> {
  const tenant = await findPlaced(query, name);
  const nodes = (await listNodes(query)).filter((node) => node.takesTenants);
  const sizeOf = (address: string | undefined) => nodes.find(({ node }) => node === address)?.bytes ?? 0;
  const target = lightest(nodes, tenant);
  if (target !== undefined && tenant.node !== null && sizeOf(tenant.node) - sizeOf(target) > WORTH_MOVING) {
    await moveSchema(query, { schema: tenant.schema, node: target, blocksWrites: true });
  }
}

/** Without the tenant itself, wherever it is; of equals the one it is on already. One that does not answer is none. */
function lightest(nodes: readonly ClusterNode[], tenant: PlacedTenant): string | undefined {
  const loads = nodes.flatMap(({ node, bytes }) => {
    const own = node === tenant.node ? (tenant.bytes ?? 0) : 0;
    return bytes === null ? [] : [{ node, bytes: bytes - own, isOwn: node === tenant.node }];
  });
  return loads.toSorted((a, b) => a.bytes - b.bytes || Number(b.isOwn) - Number(a.isOwn))[0]?.node;
}
