import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql } from "kysely";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

export type SigningKeyRecord = Pick<IdentitySchema["identity.signing_keys"], "kid" | "public_jwk" | "private_key" | "active_from">;

/** Lists the keys whose tokens are still valid, newest first. */
export async function listSigningKeys(queries: Queries): Promise<readonly SigningKeyRecord[]> {
  return queries
    .selectFrom("identity.signing_keys")
    .select(["kid", "public_jwk", "private_key", "active_from"])
    .where("retired_at", "is", null)
    .orderBy("active_from", "desc")
    .orderBy("kid")
    .execute();
}

/** Taken to the end of the transaction by everything that makes a key, so that replicas make only one. */
export async function lockSigningKeys(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey("identity.signing_keys")})`.execute(transaction);
}

export async function insertSigningKey(transaction: Transaction, key: SigningKeyRecord, now: Date): Promise<void> {
  await transaction
    .insertInto("identity.signing_keys")
    .values({ ...key, algorithm: "RS256", created_at: now })
    .execute();
}

/** Retires the keys whose successor has signed since before `supersededBefore`, and deletes their private halves. */
export async function retireSupersededKeys(
  queries: Queries,
  { supersededBefore, now }: { readonly supersededBefore: Date; readonly now: Date },
): Promise<readonly string[]> {
  const retired = await queries
    .updateTable("identity.signing_keys")
    .set({ retired_at: now, private_key: "" })
    .where("retired_at", "is", null)
    .where((expression) =>
      expression.exists(
        expression
          .selectFrom("identity.signing_keys as successor")
          .select("successor.kid")
          .where("successor.retired_at", "is", null)
          .where("successor.active_from", "<=", supersededBefore)
          .whereRef("successor.active_from", ">", "identity.signing_keys.active_from"),
      ),
    )
    .returning("kid")
    .execute();
  return retired.map(({ kid }) => kid);
}
