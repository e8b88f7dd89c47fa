import { sql, type RawBuilder } from "kysely";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

const TRIES = 5;
const LIVE_PER_USER = 3;

/** Inserts a token and deletes the oldest ones, so that an account never has more than three. The caller holds the account's lock. */
export async function insertPartialToken(
  transaction: Transaction,
  row: Omit<IdentitySchema["identity.partial_tokens"], "tries" | "amr"> & { readonly amr: string[] },
): Promise<void> {
  await transaction
    .deleteFrom("identity.partial_tokens")
    .where("user_id", "=", row.user_id)
    .where("token_hash", "not in", (newest) =>
      newest
        .selectFrom("identity.partial_tokens")
        .select("token_hash")
        .where("user_id", "=", row.user_id)
        .where("expires_at", ">", row.authenticated_at)
        .orderBy("expires_at", "desc")
        .orderBy("token_hash")
        .limit(LIVE_PER_USER - 1),
    )
    .execute();
  await transaction.insertInto("identity.partial_tokens").values(row).execute();
}

/**
 * Takes one of the token's tries, for a second factor of which `isSetUp` says whether an account has it.
 *
 * @returns the login, `authenticatedAt` being when its first step was verified; undefined when its tries are used up, it has expired, or the account has changed since.
 */
export async function takePartialToken(queries: Queries, tokenHash: Buffer, now: Date, isSetUp: RawBuilder<boolean>) {
  const row = await queries
    .updateTable("identity.partial_tokens as token")
    .from("identity.users as user")
    .set({ tries: sql<number>`token.tries + 1` })
    .whereRef("user.id", "=", "token.user_id")
    .whereRef("user.epoch", "=", "token.epoch")
    .where(isSetUp)
    .where("user.disabled_at", "is", null)
    .where("token.token_hash", "=", tokenHash)
    .where("token.expires_at", ">", now)
    .where("token.tries", "<", TRIES)
    .returning([
      "token.token_hash as tokenHash",
      "token.user_id as userId",
      "user.tenant_id as tenantId",
      "token.authenticated_at as authenticatedAt",
      "token.amr",
      "token.sso_issuer as issuer",
      "token.sso_subject as subject",
    ])
    .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  const { issuer, subject, ...taken } = row;
  return { ...taken, named: issuer === null || subject === null ? undefined : { issuer, subject } };
}

/** Finds the user whose login it is, where the account has such a second factor. Takes none of the token's tries. */
export async function findPartialLogin(
  queries: Queries,
  tokenHash: Buffer,
  now: Date,
  isSetUp: RawBuilder<boolean>,
): Promise<string | undefined> {
  const row = await queries
    .selectFrom("identity.partial_tokens as token")
    .innerJoin("identity.users as user", (join) => join.onRef("user.id", "=", "token.user_id").onRef("user.epoch", "=", "token.epoch"))
    .select("user.id")
    .where("token.token_hash", "=", tokenHash)
    .where("token.expires_at", ">", now)
    .where("token.tries", "<", TRIES)
    .where("user.disabled_at", "is", null)
    .where(isSetUp)
    .executeTakeFirst();
  return row?.id;
}

export async function givePartialTokenBack(queries: Queries, tokenHash: Buffer): Promise<void> {
  await queries
    .updateTable("identity.partial_tokens")
    .set({ tries: sql<number>`greatest(tries - 1, 0)` })
    .where("token_hash", "=", tokenHash)
    .execute();
}

/** Uses the token up; of many concurrent requests only one succeeds. The caller holds the account's lock. */
export async function consumePartialToken(transaction: Transaction, tokenHash: Buffer, now: Date): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("identity.partial_tokens as token")
    .using("identity.users as user")
    .whereRef("user.id", "=", "token.user_id")
    .whereRef("user.epoch", "=", "token.epoch")
    .where("token.token_hash", "=", tokenHash)
    .where("token.expires_at", ">", now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteDeadPartialTokens(queries: Queries, now: Date): Promise<void> {
  await queries
    .deleteFrom("identity.partial_tokens")
    .where((either) => either.or([either("expires_at", "<=", now), either("tries", ">=", TRIES)]))
    .execute();
}
