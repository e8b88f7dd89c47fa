import { sql, type Insertable } from "kysely";
import { SECOND_FACTOR_DUE } from "#account-facts.ts";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

/** A grant that counts, with what its tokens state about its owner. */
export type LiveGrant = NonNullable<Awaited<ReturnType<typeof findLiveGrant>>>;

/**
 * Finds a grant, unless it is over, was revoked, its account has changed in a way that ends sessions, or its owner has to set up a
 * second factor first: then an app opens no more than they do.
 */
export async function findLiveGrant(queries: Queries, id: string, now: Date) {
  return queries
    .selectFrom("identity.oauth_grants as grant")
    .innerJoin("identity.users as user", "user.id", "grant.user_id")
    .leftJoin("identity.policies as policy", "policy.tenant_id", "user.tenant_id")
    .select([
      "grant.id",
      "grant.user_id as userId",
      "grant.client_id as clientId",
      "grant.repositories",
      "grant.traces",
      "grant.evaluation",
      "grant.expires_at as expiresAt",
      "user.tenant_id as tenantId",
      "user.epoch",
    ])
    .where("grant.id", "=", id)
    .where("grant.revoked_at", "is", null)
    .where("grant.expires_at", ">", now)
    .whereRef("grant.epoch", "=", "user.epoch")
    .where("user.disabled_at", "is", null)
    .where(sql<boolean>`coalesce(${SECOND_FACTOR_DUE} > ${now}, true)`)
    .executeTakeFirst();
}

type NewGrant = Omit<Insertable<IdentitySchema["identity.oauth_grants"]>, "last_used_at" | "revoked_at" | "revoked_reason">;

/** @returns false when the question was answered before. */
export async function insertGrant(transaction: Transaction, grant: NewGrant): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await transaction
    .insertInto("identity.oauth_grants")
    .values(grant)
    .onConflict((conflict) => conflict.column("asked_by").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

type Revocation = { readonly id: string; readonly userId?: string | undefined; readonly reason: string; readonly now: Date };

/** Revokes a grant, and forgets its codes and refresh tokens. @returns the grant, if it was this call that revoked it. */
export async function revokeGrant(transaction: Transaction, { id, userId, reason, now }: Revocation) {
  const revoked = await transaction
    .updateTable("identity.oauth_grants as grant")
    .from("identity.users as user")
    .set({ revoked_at: now, revoked_reason: reason })
    .whereRef("user.id", "=", "grant.user_id")
    .where("grant.id", "=", id)
    .where("grant.revoked_at", "is", null)
    .where("grant.expires_at", ">", now)
    .$if(userId !== undefined, (query) => query.where("grant.user_id", "=", userId ?? ""))
    .returning(["grant.id", "grant.user_id as userId", "grant.app_name as appName", "user.tenant_id as tenantId"])
    .executeTakeFirst();
  if (revoked !== undefined) {
    await transaction.deleteFrom("identity.oauth_states").where("grant_id", "=", id).execute();
  }
  return revoked;
}

export async function noteGrantUsed(queries: Queries, id: string, now: Date): Promise<void> {
  await queries.updateTable("identity.oauth_grants").set({ last_used_at: now }).where("id", "=", id).execute();
}

/** The grants of a person that still count, the newest first. */
export async function listLiveGrants(queries: Queries, userId: string, now: Date) {
  return queries
    .selectFrom("identity.oauth_grants as grant")
    .innerJoin("identity.users as user", "user.id", "grant.user_id")
    .select([
      "grant.id",
      "grant.app_name",
      "grant.redirect_host",
      "grant.repositories",
      "grant.traces",
      "grant.evaluation",
      "grant.created_at",
      "grant.last_used_at",
      "grant.expires_at",
    ])
    .where("grant.user_id", "=", userId)
    .where("grant.revoked_at", "is", null)
    .where("grant.expires_at", ">", now)
    .whereRef("grant.epoch", "=", "user.epoch")
    .orderBy("grant.id", "desc")
    .execute();
}

/** A grant that ended is told of until the last of its access tokens is over. */
export async function deleteGrantsEndedBefore(queries: Queries, time: Date): Promise<void> {
  await queries
    .deleteFrom("identity.oauth_grants")
    .where((where) => where.or([where("expires_at", "<=", time), where("revoked_at", "<=", time)]))
    .execute();
}
