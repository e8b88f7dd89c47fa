import type { Queries, Transaction } from "#schema.ts";

type NewToken = { readonly tenantId: string; readonly tokenHash: Buffer; readonly createdBy: string; readonly now: Date };

/** In place of the one that there is. */
export async function saveToken(transaction: Transaction, { tenantId, tokenHash, createdBy, now }: NewToken): Promise<void> {
  const token = { token_hash: tokenHash, created_by: createdBy, created_at: now, last_used_at: null };
  await transaction
    .insertInto("identity.scim_tokens")
    .values({ tenant_id: tenantId, ...token })
    .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet(token))
    .execute();
}

export async function deleteToken(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.deleteFrom("identity.scim_tokens").where("tenant_id", "=", tenantId).execute();
}

export async function findToken(queries: Queries, tenantId: string) {
  const columns = ["created_at as createdAt", "last_used_at as lastUsedAt"] as const;
  return queries.selectFrom("identity.scim_tokens").select(columns).where("tenant_id", "=", tenantId).executeTakeFirst();
}

/** Notes the use of the token. @returns its tenant. */
export async function useToken(queries: Queries, hash: Buffer, now: Date): Promise<string | undefined> {
  const used = queries.updateTable("identity.scim_tokens").set({ last_used_at: now }).where("token_hash", "=", hash);
  return (await used.returning("tenant_id as id").executeTakeFirst())?.id;
}
