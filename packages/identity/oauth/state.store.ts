import { createHash } from "node:crypto";
import type { Queries } from "#schema.ts";

/** 256 random bits need no slow hash: nobody can guess them. */
export function hashStateId(kind: string, id: string): string {
  return createHash("sha256").update(`${kind}|${id}`).digest("base64url");
}

export type State = { readonly id: string; readonly kind: string; readonly grantId: string | undefined; readonly payload: string };

export async function putState(queries: Queries, { id, kind, grantId, payload }: State, expiresAt: Date): Promise<void> {
  await queries
    .insertInto("identity.oauth_states")
    .values({ id, kind, grant_id: grantId ?? null, payload, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ payload, expires_at: expiresAt }))
    .execute();
}

export async function findState(queries: Queries, id: string, now: Date) {
  return queries
    .selectFrom("identity.oauth_states")
    .select(["payload", "consumed_at as consumedAt"])
    .where("id", "=", id)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** One of several requests at the same moment consumes. @returns whether it was this call. */
export async function consumeState(queries: Queries, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.oauth_states")
    .set({ consumed_at: now })
    .where("id", "=", id)
    .where("consumed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The grant of a code or refresh token. */
export async function grantOfState(queries: Queries, id: string): Promise<string | undefined> {
  const row = await queries.selectFrom("identity.oauth_states").select("grant_id").where("id", "=", id).executeTakeFirst();
  return row?.grant_id ?? undefined;
}

export async function deleteState(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom("identity.oauth_states").where("id", "=", id).execute();
}

export async function deleteExpiredStates(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.oauth_states").where("expires_at", "<=", now).execute();
}
