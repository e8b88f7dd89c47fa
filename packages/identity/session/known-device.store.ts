import type { Queries, Transaction } from "#schema.ts";

/** Whose login it is, by what they have shown: an address, the hash of a partial token, or a passkey's credential. */
export type DeviceOwner = { readonly foldedEmail: string } | { readonly partialToken: Buffer } | { readonly credentialId: string };

/** A device of an account: one name changes with the token, the other stays. */
export type KnownDevice = { readonly tokenHash: Buffer; readonly userId: string };

export async function findKnownDevice(
  queries: Queries,
  hashes: readonly Buffer[],
  now: Date,
  owner: DeviceOwner,
): Promise<KnownDevice | undefined> {
  return queries
    .selectFrom("identity.known_devices as device")
    .select(["device.token_hash as tokenHash", "device.user_id as userId"])
    .where("device.token_hash", "in", hashes)
    .where("device.expires_at", ">", now)
    .where("device.user_id", "in", (query) => {
      if ("foldedEmail" in owner) {
        return query.selectFrom("identity.users").select("id").where("folded_email", "=", owner.foldedEmail);
      }
      return "partialToken" in owner
        ? query.selectFrom("identity.partial_tokens").select("user_id as id").where("token_hash", "=", owner.partialToken)
        : query.selectFrom("identity.passkeys").select("user_id as id").where("credential_id", "=", owner.credentialId);
    })
    .limit(1)
    .executeTakeFirst();
}

export async function listKnownHashes(transaction: Transaction, hashes: readonly Buffer[]): Promise<readonly Buffer[]> {
  const rows = await transaction
    .selectFrom("identity.known_devices")
    .select("token_hash")
    .distinct()
    .where("token_hash", "in", hashes)
    .execute();
  return rows.map(({ token_hash: hash }) => hash);
}

export async function deleteDevices(transaction: Transaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await transaction.deleteFrom("identity.known_devices").where("user_id", "=", userId).where("token_hash", "in", hashes).execute();
}

export async function insertDevice(
  transaction: Transaction,
  { tokenHash, userId, now, expiresAt }: KnownDevice & { readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  await transaction
    .insertInto("identity.known_devices")
    .values({ token_hash: tokenHash, user_id: userId, last_used_at: now, expires_at: expiresAt })
    .execute();
}

/** Deletes what the account has beyond so many devices, the longest unused first. */
export async function deleteDevicesBeyond(transaction: Transaction, userId: string, max: number): Promise<void> {
  await transaction
    .deleteFrom("identity.known_devices")
    .where("user_id", "=", userId)
    .where("token_hash", "in", (query) =>
      query
        .selectFrom("identity.known_devices")
        .select("token_hash")
        .where("user_id", "=", userId)
        .orderBy("last_used_at", "desc")
        .orderBy("token_hash")
        .offset(max),
    )
    .execute();
}

/** Deletes the account's devices, all or all but some: whoever logs in there is a stranger again. */
export async function forgetDevices(transaction: Transaction, userId: string, except: readonly Buffer[] = []): Promise<void> {
  await transaction
    .deleteFrom("identity.known_devices")
    .where("user_id", "=", userId)
    .$if(except.length > 0, (query) => query.where("token_hash", "not in", except))
    .execute();
}

export async function deleteExpiredDevices(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.known_devices").where("expires_at", "<=", now).execute();
}
