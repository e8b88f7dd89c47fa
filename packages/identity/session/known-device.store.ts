import type { Queries, Transaction } from "#schema.ts";

type DeviceOfAccount = { readonly tokenHash: Buffer; readonly userId: string };

/** Whether the device is known: to the account of that address, or to any. */
export async function isKnownDevice(queries: Queries, tokenHash: Buffer, now: Date, foldedEmail?: string): Promise<boolean> {
  const row = await queries
    .selectFrom("identity.known_devices as device")
    .innerJoin("identity.users as user", "user.id", "device.user_id")
    .select("device.user_id")
    .where("device.token_hash", "=", tokenHash)
    .where("device.expires_at", ">", now)
    .$if(foldedEmail !== undefined, (query) => query.where("folded_email", "=", foldedEmail ?? ""))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The device has another token from now on, for every account that it is known to. */
export async function moveDevice(transaction: Transaction, from: Buffer, to: Buffer): Promise<void> {
  await transaction.updateTable("identity.known_devices").set({ token_hash: to }).where("token_hash", "=", from).execute();
}

export async function upsertDevice(
  transaction: Transaction,
  { tokenHash, userId }: DeviceOfAccount,
  now: Date,
  expiresAt: Date,
): Promise<void> {
  await transaction
    .insertInto("identity.known_devices")
    .values({ token_hash: tokenHash, user_id: userId, last_used_at: now, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(["token_hash", "user_id"]).doUpdateSet({ last_used_at: now, expires_at: expiresAt }))
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

/** Deletes the account's devices, all or all but one: whoever logs in there is a stranger again. */
export async function forgetDevices(transaction: Transaction, userId: string, except?: Buffer): Promise<void> {
  await transaction
    .deleteFrom("identity.known_devices")
    .where("user_id", "=", userId)
    .$if(except !== undefined, (query) => query.where("token_hash", "!=", except ?? Buffer.alloc(0)))
    .execute();
}

export async function deleteExpiredDevices(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.known_devices").where("expires_at", "<=", now).execute();
}
