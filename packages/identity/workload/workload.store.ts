import { sql } from "kysely";
import type { WorkloadRequest } from "#contract.ts";
import type { Queries, Transaction } from "#schema.ts";

export type StoredWorkload = Awaited<ReturnType<typeof listWorkloads>>[number];

/** Rules, with whether whoever made each still is an active admin of the tenant: a rule is as good as them. */
function workloads(queries: Queries) {
  return queries
    .selectFrom("identity.workloads as workload")
    .innerJoin("identity.users as maker", (join) =>
      join.onRef("maker.id", "=", "workload.created_by").onRef("maker.tenant_id", "=", "workload.tenant_id"),
    )
    .selectAll("workload")
    .select(sql<boolean>`maker.disabled_at is null and maker.role = 'admin'`.as("active"));
}

/** For the whole installation: an ID token names the rule, and that the tenant. */
export async function findActiveWorkload(queries: Queries, id: string): Promise<StoredWorkload | undefined> {
  const found = await workloads(queries).where("workload.id", "=", id).executeTakeFirst();
  return found?.active === true ? found : undefined;
}

export async function listWorkloads(queries: Queries, tenantId: string) {
  return workloads(queries).where("workload.tenant_id", "=", tenantId).orderBy("workload.id").execute();
}

type Made = WorkloadRequest & { readonly id: string; readonly tenant_id: string; readonly created_by: string; readonly created_at: Date };

export async function insertWorkload(transaction: Transaction, made: Made): Promise<void> {
  await transaction
    .insertInto("identity.workloads")
    .values({ ...made, last_used_at: null })
    .execute();
}

/** @returns the one that it was. */
export async function deleteWorkload(transaction: Transaction, tenantId: string, id: string) {
  const gone = transaction.deleteFrom("identity.workloads").where("tenant_id", "=", tenantId).where("id", "=", id);
  return gone.returningAll().executeTakeFirst();
}

export async function noteUsed(transaction: Transaction, { tenant_id: tenantId, id }: StoredWorkload, now: Date): Promise<void> {
  const used = transaction.updateTable("identity.workloads").set({ last_used_at: now });
  await used.where("tenant_id", "=", tenantId).where("id", "=", id).execute();
}
