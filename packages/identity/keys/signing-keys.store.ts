import { sql } from "kysely";
import type { IdentitySchema, Queries } from "#schema.ts";

export type SigningKeyRecord = Pick<IdentitySchema["identity.signing_keys"], "kid" | "public_jwk" | "private_key" | "active_from">;

/** Keys whose tokens still count, newest first. */
export async function listSigningKeys(queries: Queries): Promise<readonly SigningKeyRecord[]> {
  return queries
    .selectFrom("identity.signing_keys")
    .select(["kid", "public_jwk", "private_key", "active_from"])
    .where("retired_at", "is", null)
    .orderBy("active_from", "desc")
    .orderBy("kid")
    .execute();
}

/** Stores the key unless another process was first; the lock makes "first" unambiguous. */
export async function insertFirstSigningKey(queries: Queries, key: SigningKeyRecord): Promise<boolean> {
  return queries.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('sightline.identity'), hashtext('signing_keys'))`.execute(transaction);
    const existing = await listSigningKeys(transaction);
    if (existing.length > 0) {
      return false;
    }
    await transaction
      .insertInto("identity.signing_keys")
      .values({ ...key, algorithm: "RS256", created_at: key.active_from })
      .execute();
    return true;
  });
}
