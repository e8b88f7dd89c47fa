import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Queries, SecondFactorPool, Transaction } from "#schema.ts";
import type { CodeKind } from "./code-kind.ts";
import { MAX_WINDOW_SECONDS, type PoolState } from "./lockout.ts";

/**
 * Locks the account to the end of the transaction, so that concurrent tries on several replicas are counted one after
 * the other.
 *
 * @returns undefined when there is no such account, it is disabled, or the kind of code is not set up.
 */
export async function lockOwner(transaction: Transaction, userId: string, { isSetUp }: Pick<CodeKind, "isSetUp">) {
  return transaction
    .selectFrom("identity.users as user")
    .select("must_change_password as mustChangePassword")
    .where("id", "=", userId)
    .where("disabled_at", "is", null)
    .where(isSetUp)
    .forUpdate()
    .executeTakeFirst();
}

export async function readPool(
  queries: Queries,
  userId: string,
  { method: pool, limits }: Pick<CodeKind, "method" | "limits">,
  now: Date,
): Promise<PoolState> {
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
    .limit(Math.max(...limits.rolling.map((limit) => limit.tries)))
    .execute();
  return { inARow: 0, lockedUntil: null, suspended: false, ...counter, triedAt: tries.map(({ at }) => at) };
}

/** @returns the id of the try. */
export async function insertTry(transaction: Transaction, userId: string, pool: SecondFactorPool, at: Date): Promise<string> {
  const id = uuidv7();
  await transaction.insertInto("identity.second_factor_tries").values({ id, user_id: userId, pool, at }).execute();
  return id;
}

/** @returns false when it was deleted before. */
export async function deleteTry(transaction: Transaction, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction.deleteFrom("identity.second_factor_tries").where("id", "=", id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Saves the failures in a row, of kinds that have them; others are limited by their rolling budgets alone. */
export async function saveFailuresInARow(
  transaction: Transaction,
  userId: string,
  pool: SecondFactorPool,
  { inARow, lockedUntil, suspended }: PoolState,
): Promise<void> {
  const row = { in_a_row: inARow, locked_until: lockedUntil, suspended };
  await transaction
    .insertInto("identity.second_factor_counters")
    .values({ user_id: userId, pool, ...row })
    .onConflict((conflict) => conflict.columns(["user_id", "pool"]).doUpdateSet(row))
    .execute();
}

/** Resets failures in a row after a right code, with any lock or suspension by them. The rolling budgets stay. */
export async function forgetFailuresInARow(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom("identity.second_factor_counters").where("user_id", "=", userId).execute();
}

/** Deletes all counters of codes that are removed, since there is nothing left to guess. */
export async function forgetAllFailures(transaction: Transaction, userId: string): Promise<void> {
  await forgetFailuresInARow(transaction, userId);
  await transaction.deleteFrom("identity.second_factor_tries").where("user_id", "=", userId).execute();
}

/**
 * Lifts the locks of a day from both kinds of codes, once their owner has chosen a new password by a mailed link: whoever locked them
 * knew the old one. Tries count on within thirty days as if made a day earlier, and a suspension stays, so that somebody who
 * reads the owner's mail gets no more guesses in a month than before.
 *
 * @returns whether there was anything to lift.
 */
export async function liftLocksOfADay(transaction: Transaction, userId: string, now: Date): Promise<boolean> {
  const dayAgo = new Date(now.getTime() - 24 * 3600_000);
  const unlocked = await transaction
    .updateTable("identity.second_factor_counters")
    .set({ locked_until: null })
    .where("user_id", "=", userId)
    .where("locked_until", ">", now)
    .executeTakeFirst();
  const aged = await transaction
    .updateTable("identity.second_factor_tries")
    .set({ at: sql<Date>`at - interval '1 day'` })
    .where("user_id", "=", userId)
    .where("at", ">", dayAgo)
    .executeTakeFirst();
  return unlocked.numUpdatedRows > 0n || aged.numUpdatedRows > 0n;
}

export async function requirePasswordChange(transaction: Transaction, userId: string): Promise<void> {
  await transaction.updateTable("identity.users").set({ must_change_password: true }).where("id", "=", userId).execute();
}

export async function deleteOldTries(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.second_factor_tries").where("at", "<=", windowStart(now)).execute();
}

function windowStart(now: Date): Date {
  return new Date(now.getTime() - MAX_WINDOW_SECONDS * 1000);
}
