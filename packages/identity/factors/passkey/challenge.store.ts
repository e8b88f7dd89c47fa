import type { PasskeyPurpose, Queries, Transaction } from "#schema.ts";

/** For what and for whom a challenge was made; an answer counts only there. */
export type ChallengeScope = {
  readonly purpose: PasskeyPurpose;
  /** Undefined at the login, where nobody is known yet. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
};

type Challenge = ChallengeScope & { readonly hash: Buffer };

export async function insertChallenge(queries: Queries, { hash, ...scope }: Challenge, expiresAt: Date): Promise<void> {
  const { purpose, userId, sessionId } = scope;
  await queries
    .insertInto("identity.passkey_challenges")
    .values({ challenge_hash: hash, purpose, user_id: userId ?? null, session_id: sessionId ?? null, expires_at: expiresAt })
    .execute();
}

/** Whether there is such a challenge for this purpose, account and session that still counts. */
export async function isOpenChallenge(queries: Queries, challenge: Challenge, now: Date): Promise<boolean> {
  const row = await queries
    .selectFrom("identity.passkey_challenges")
    .select("expires_at")
    .where("challenge_hash", "=", challenge.hash)
    .where("purpose", "=", challenge.purpose)
    .where("user_id", "is not distinct from", challenge.userId ?? null)
    .where("session_id", "is not distinct from", challenge.sessionId ?? null)
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now;
}

/** Uses the challenge up; of many concurrent requests only one succeeds. */
export async function consumeChallenge(transaction: Transaction, hash: Buffer, now: Date): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("identity.passkey_challenges")
    .where("challenge_hash", "=", hash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredChallenges(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.passkey_challenges").where("expires_at", "<=", now).execute();
}
