import type { IdentitySchema, Queries } from "#schema.ts";

export async function insertAttempt(queries: Queries, row: IdentitySchema["identity.sso_attempts"]): Promise<void> {
  await queries.insertInto("identity.sso_attempts").values(row).execute();
}

/** Uses the attempt up; of many requests only one gets it, and only from the browser that began it. */
export async function consumeAttempt(queries: Queries, { id, browserHash, now }: { id: string; browserHash: Buffer; now: Date }) {
  return queries
    .deleteFrom("identity.sso_attempts")
    .where("id", "=", id)
    .where("browser_hash", "=", browserHash)
    .where("expires_at", ">", now)
    .returning(["id", "provider_id as providerId", "revision", "payload"])
    .executeTakeFirst();
}

export async function deleteExpiredAttempts(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.sso_attempts").where("expires_at", "<=", now).execute();
}
