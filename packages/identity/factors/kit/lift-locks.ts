import { sql } from "kysely";
import type { Transaction } from "#schema.ts";

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
