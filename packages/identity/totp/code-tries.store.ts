import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Queries, SecondFactorPool, Transaction } from "#schema.ts";
import { MAX_WINDOW_SECONDS, ROLLING_LIMITS, type PoolState } from "./lockout.ts";

/** The columns of an account that a code is checked against. */
export type SecondFactorOwner = NonNullable<Awaited<ReturnType<typeof lockOwner>>>;

/** A second factor counts while its account does. */
export const ENABLED = sql<boolean>`totp_enabled and disabled_at is null`;

/**
 * Locks the account to the end of the transaction, so that concurrent tries on several replicas are counted one after
 * the other.
 *
 * @returns undefined when there is no such account, it is disabled, or it has no second factor.
 */
export async function lockOwner(transaction: Transaction, userId: string) {
  const row = await transaction
    .selectFrom("identity.users")
    .select([
      "id",
      "totp_secret as envelope",
      "totp_last_step as lastStep",
      "totp_backup_codes as backupCodes",
      "must_change_password as mustChangePassword",
    ])
    .where("id", "=", userId)
    .where(ENABLED)
    .forUpdate()
    .executeTakeFirst();
  return withEnvelope(row);
}

export type PoolKey = { readonly userId: string; readonly pool: SecondFactorPool };

export async function readPool(queries: Queries, { userId, pool }: PoolKey, now: Date): Promise<PoolState> {
  const counter = await queries
    .selectFrom("identity.second_factor_counters")
    .select(["in_a_row as inARow", "locked_until as lockedUntil", "suspended"])
    .where("user_id", "=", userId)
    .where("pool", "=", pool)
    .executeTakeFirst();
  const tries = await queries
    .selectFrom("identity.second_factor_tries")
    .select("at")
    .where("user_id", "=", userId)
    .where("pool", "=", pool)
    .where("at", ">", windowStart(now))
    .orderBy("at", "desc")
    .limit(Math.max(...ROLLING_LIMITS[pool].map((limit) => limit.tries)))
    .execute();
  return { inARow: 0, lockedUntil: null, suspended: false, ...counter, triedAt: tries.map(({ at }) => at) };
}

/** @returns the id of the try. */
export async function insertTry(transaction: Transaction, { userId, pool }: PoolKey, at: Date): Promise<string> {
  const id = uuidv7();
  await transaction.insertInto("identity.second_factor_tries").values({ id, user_id: userId, pool, at }).execute();
  return id;
}

/** @returns false when it was deleted before. */
export async function deleteTry(transaction: Transaction, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction.deleteFrom("identity.second_factor_tries").where("id", "=", id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Saves the failures in a row, which only authenticator codes have; backup codes are limited by their rolling budgets alone. */
export async function saveFailuresInARow(
  transaction: Transaction,
  userId: string,
  { inARow, lockedUntil, suspended }: PoolState,
): Promise<void> {
  const row = { in_a_row: inARow, locked_until: lockedUntil, suspended };
  await transaction
    .insertInto("identity.second_factor_counters")
    .values({ user_id: userId, pool: "totp", ...row })
    .onConflict((conflict) => conflict.columns(["user_id", "pool"]).doUpdateSet(row))
    .execute();
}

/** Resets failures in a row after a right code, with any lock or suspension by them. The rolling budgets stay. */
export async function forgetFailuresInARow(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom("identity.second_factor_counters").where("user_id", "=", userId).execute();
}

/** Deletes all counters of a second factor that is removed, since there is nothing left to guess. */
export async function forgetAllFailures(transaction: Transaction, userId: string): Promise<void> {
  await forgetFailuresInARow(transaction, userId);
  await transaction.deleteFrom("identity.second_factor_tries").where("user_id", "=", userId).execute();
}

export async function requirePasswordChange(transaction: Transaction, userId: string): Promise<void> {
  await transaction.updateTable("identity.users").set({ must_change_password: true }).where("id", "=", userId).execute();
}

export async function deleteOldTries(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.second_factor_tries").where("at", "<=", windowStart(now)).execute();
}

export function withEnvelope<Row extends { readonly envelope: string | null }>(row: Row | undefined) {
  return row === undefined || row.envelope === null ? undefined : { ...row, envelope: row.envelope };
}

function windowStart(now: Date): Date {
  return new Date(now.getTime() - MAX_WINDOW_SECONDS * 1000);
}
