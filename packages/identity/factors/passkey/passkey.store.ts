import { v7 as uuidv7 } from "uuid";
import type { Insertable } from "kysely";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

/** A passkey as it is verified against. */
export type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;

export async function findPasskey(queries: Queries, credentialId: string) {
  return queries
    .selectFrom("identity.passkeys")
    .select(["id", "user_id as userId", "credential_id as credentialId", "public_key as publicKey", "counter", "name"])
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
}

export async function listPasskeys(queries: Queries, userId: string) {
  return queries
    .selectFrom("identity.passkeys")
    .select(["id", "name", "created_at", "last_used_at", "backed_up as synced", "credential_id as credentialId", "transports"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** @returns undefined when the authenticator's credential is somebody's already. */
export async function insertPasskey(
  transaction: Transaction,
  passkey: Omit<Insertable<IdentitySchema["identity.passkeys"]>, "id" | "last_used_at">,
) {
  return transaction
    .insertInto("identity.passkeys")
    .values({ ...passkey, id: uuidv7(), last_used_at: null })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .returning(["id", "name", "created_at", "last_used_at", "backed_up as synced"])
    .executeTakeFirst();
}

type Use = { readonly id: string; readonly counter: number; readonly backedUp: boolean; readonly now: Date };

/**
 * Moves the signature counter on, which must go up unless the authenticator has none.
 *
 * @returns false when it does not, or the passkey is gone.
 */
export async function recordUse(transaction: Transaction, { id, counter, backedUp, now }: Use): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("identity.passkeys")
    .set({ counter, backed_up: backedUp, last_used_at: now })
    .where("id", "=", id)
    .where((either) => either.or([either("counter", "<", counter), either.and([either("counter", "=", 0), either.lit(counter === 0)])]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type OwnPasskey = { readonly id: string; readonly userId: string };

/** @returns the name before; undefined when the user has no such passkey. */
export async function renamePasskey(transaction: Transaction, { id, userId }: OwnPasskey, name: string): Promise<string | undefined> {
  const before = await transaction
    .selectFrom("identity.passkeys")
    .select("name")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirst();
  if (before !== undefined) {
    await transaction.updateTable("identity.passkeys").set({ name }).where("id", "=", id).execute();
  }
  return before?.name;
}

/** @returns its name; undefined when the user has no such passkey. */
export async function deletePasskey(transaction: Transaction, { id, userId }: OwnPasskey): Promise<string | undefined> {
  const row = await transaction
    .deleteFrom("identity.passkeys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}

/** @returns how many there were. */
export async function deletePasskeysOf(transaction: Transaction, userId: string): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom("identity.passkeys").where("user_id", "=", userId).executeTakeFirst();
  return Number(numDeletedRows);
}
