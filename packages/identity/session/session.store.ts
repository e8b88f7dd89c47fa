import { sql, type Insertable } from "kysely";
import { HAS_SECOND_FACTOR, IN_SSO_DOMAIN, SECOND_FACTOR_DUE } from "#account-facts.ts";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

/** Whether the company's provider opened the session. */
const BY_SSO = sql<boolean>`('sso' = any(session.amr))`;

/** A session with what its tokens state about its user. */
export type Session = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export async function findSession(queries: Queries, id: string) {
  return queries
    .selectFrom("identity.sessions as session")
    .innerJoin("identity.users as user", "user.id", "session.user_id")
    .leftJoin("identity.policies as policy", "policy.tenant_id", "user.tenant_id")
    .where("session.id", "=", id)
    .select([
      "session.id",
      "session.id as sessionId",
      "session.user_id as userId",
      "session.refresh_salt as refreshSalt",
      "session.generation",
      "session.rotated_at as rotatedAt",
      "session.amr",
      "session.authenticated_at as authenticatedAt",
      "session.idle_expires_at as idleExpiresAt",
      "session.expires_at as expiresAt",
      "session.revoked_at as revokedAt",
      "session.step_up_until as stepUpUntil",
      "user.tenant_id as tenantId",
      "user.role",
      "user.epoch",
      // A one-time password that nobody needed for this session.
      sql<boolean>`("user".must_change_password and not ${BY_SSO})`.as("mustChangePassword"),
      "user.disabled_at as disabledAt",
      // The company's provider may have asked for the second factor itself. Who is kept for emergencies always needs one.
      sql<Date | null>`case when not (${BY_SSO} and 'mfa' = any(session.amr)) then least(${SECOND_FACTOR_DUE},
        case when "user".role = 'admin' and break_glass and ${IN_SSO_DOMAIN} and not ${HAS_SECOND_FACTOR} then session.created_at end) end`.as(
        "secondFactorDue",
      ),
    ])
    .executeTakeFirst();
}

/** Whether the account is to log in by company sign-in, and whether it is kept for when that fails. */
export async function findSsoRequirement(queries: Queries, userId: string) {
  return queries
    .selectFrom("identity.users as user")
    .select([IN_SSO_DOMAIN.as("isDemanded"), "break_glass as isBreakGlass"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
}

type NewSession = Omit<Insertable<IdentitySchema["identity.sessions"]>, "rotated_at" | "created_at" | "last_used_at">;

export async function insertSession(transaction: Transaction, session: NewSession, now: Date): Promise<void> {
  await transaction
    .insertInto("identity.sessions")
    .values({ ...session, rotated_at: now, created_at: now, last_used_at: now })
    .execute();
}

/** Advances the session from `generation` to the next one; of many concurrent requests only one succeeds. */
export async function rotateSession(queries: Queries, { id, generation }: Session, now: Date, idleExpiresAt: Date): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.sessions")
    .set({ generation: generation + 1, rotated_at: now, last_used_at: now, idle_expires_at: idleExpiresAt })
    .where("id", "=", id)
    .where("generation", "=", generation)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns whether it was this call that revoked it; a session of someone else is none. */
export async function revokeSession(
  transaction: Transaction,
  { id, userId, reason, now }: { readonly id: string; readonly userId: string; readonly reason: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("identity.sessions")
    .set({ revoked_at: now, revoked_reason: reason })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns the sessions that this call revoked. */
export async function revokeSessionsOf(
  transaction: Transaction,
  userId: string,
  reason: string,
  now: Date,
  except: string | undefined,
): Promise<readonly string[]> {
  const revoked = await transaction
    .updateTable("identity.sessions")
    .set({ revoked_at: now, revoked_reason: reason })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .$if(except !== undefined, (query) => query.where("id", "!=", except ?? ""))
    .returning("id")
    .execute();
  return revoked.map(({ id }) => id);
}

/** Records a step-up, which is as good as a fresh login. The caller holds the session's lock. */
export async function setStepUp(transaction: Transaction, sessionId: string, now: Date, until: Date): Promise<void> {
  await transaction
    .updateTable("identity.sessions")
    .set({ step_up_until: until, authenticated_at: now })
    .where("id", "=", sessionId)
    .execute();
}

/** The sessions that can still be used, the last used first. */
export async function listLiveSessions(queries: Queries, userId: string, now: Date) {
  return queries
    .selectFrom("identity.sessions")
    .select(["id", "created_at", "last_used_at", "idle_expires_at", "expires_at", "ip", "user_agent", "amr"])
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("idle_expires_at", ">", now)
    .where("expires_at", ">", now)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Locks the user's row, as opening a session does: until this transaction ends, no session is opened. */
export async function lockUser(transaction: Transaction, userId: string): Promise<void> {
  await transaction.selectFrom("identity.users").select("id").where("id", "=", userId).forUpdate().execute();
}

export async function setLastLogin(transaction: Transaction, userId: string, now: Date): Promise<void> {
  await transaction.updateTable("identity.users").set({ last_login_at: now }).where("id", "=", userId).execute();
}

/** Locks a session of the user; false when it has ended. */
export async function lockLiveSession(transaction: Transaction, sessionId: string, userId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom("identity.sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes logins that wait for their second step; they have to begin again. */
export async function deletePartialTokensOf(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom("identity.partial_tokens").where("user_id", "=", userId).execute();
}

export async function deleteSessionsExpiredBefore(queries: Queries, time: Date): Promise<void> {
  await queries.deleteFrom("identity.sessions").where("expires_at", "<=", time).execute();
}
