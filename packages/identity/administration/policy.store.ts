import { sql } from "kysely";
import { HAS_SECOND_FACTOR, IS_SET_UP } from "#account-facts.ts";
import type { ActionOfTwo } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";

/** An organization's policy for its admins, and what its members may. */
export type StoredPolicy = {
  readonly membersMayAddPasskeys: boolean;
  readonly secondFactorFrom: Date | null;
  readonly resetsNeedTwo: boolean;
  readonly resetsNeedTwoUntil: Date | null;
};

const DAY_MS = 24 * 3600_000;
const NOTHING: StoredPolicy = { secondFactorFrom: null, resetsNeedTwo: false, resetsNeedTwoUntil: null, membersMayAddPasskeys: false };

export async function findPolicy(queries: Queries, tenantId: string): Promise<StoredPolicy> {
  const row = await queries
    .selectFrom("identity.policies")
    .select([
      "admins_need_second_factor_from as secondFactorFrom",
      "resets_need_two as resetsNeedTwo",
      "resets_need_two_until as resetsNeedTwoUntil",
      "members_may_add_passkeys as membersMayAddPasskeys",
    ])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row ?? NOTHING;
}

export async function savePolicy(transaction: Transaction, tenantId: string, policy: StoredPolicy): Promise<void> {
  const row = {
    admins_need_second_factor_from: policy.secondFactorFrom,
    resets_need_two: policy.resetsNeedTwo,
    resets_need_two_until: policy.resetsNeedTwoUntil,
    members_may_add_passkeys: policy.membersMayAddPasskeys,
  };
  await transaction
    .insertInto("identity.policies")
    .values({ tenant_id: tenantId, ...row })
    .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet(row))
    .execute();
}

/** Ids of the members who have a passkey. */
export async function listMembersWithPasskeys(queries: Queries, tenantId: string): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom("identity.users as user")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("role", "=", "member")
    .where(IS_SET_UP.passkey)
    .execute();
  return rows.map(({ id }) => id);
}

type ActiveAdmin = { readonly id: string; readonly hasSecondFactor: boolean };

export async function listActiveAdmins(queries: Queries, tenantId: string): Promise<readonly ActiveAdmin[]> {
  return queries
    .selectFrom("identity.users as user")
    .select(["id", HAS_SECOND_FACTOR.as("hasSecondFactor")])
    .where("tenant_id", "=", tenantId)
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .orderBy("id")
    .execute();
}

/** @throws {AppError} 403 `second_factor_needed` unless it is an active admin with a second factor. */
export function refuseWithoutSecondFactor(admins: readonly ActiveAdmin[], userId: string): void {
  if (!admins.some(({ id, hasSecondFactor }) => id === userId && hasSecondFactor)) {
    throw refusal("second_factor_needed");
  }
}

/**
 * Whether another admin made this one, or got into the account's hands, within a day: a single admin could act by such an account
 * as a second one.
 */
export async function wasMadeWithinADay(queries: Queries, userId: string, now: Date): Promise<boolean> {
  const row = await queries
    .selectFrom("identity.audit")
    .select("id")
    .where("user_id", "=", userId)
    .where("actor_id", "<>", userId)
    .where("at", ">", new Date(now.getTime() - DAY_MS))
    .where((where) =>
      where.or([
        where("event", "in", ["user_created", "user_invited", "user_enabled", "user_password_reset", "2fa_admin_reset"]),
        where.and([where("event", "=", "user_changed"), where(sql`details ->> 'changed'`, "=", "role")]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Waiting = { readonly action: ActionOfTwo; readonly askedBy: string };

/** Finds what waits for another admin, unless it is over. */
export async function findWaiting(queries: Queries, userId: string, now: Date): Promise<Waiting | undefined> {
  return queries
    .selectFrom("identity.waiting_actions")
    .select(["action", "asked_by as askedBy"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

export async function saveWaiting(
  transaction: Transaction,
  userId: string,
  { action, askedBy, reason, expiresAt }: Waiting & { readonly reason: string; readonly expiresAt: Date },
): Promise<void> {
  const row = { action, asked_by: askedBy, reason, expires_at: expiresAt };
  await transaction
    .insertInto("identity.waiting_actions")
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
    .execute();
}

/** @returns what was waiting. */
export async function deleteWaiting(transaction: Transaction, userId: string, now: Date): Promise<ActionOfTwo | undefined> {
  const deleted = await transaction
    .deleteFrom("identity.waiting_actions")
    .where("user_id", "=", userId)
    .returning(["action", "expires_at as expiresAt"])
    .executeTakeFirst();
  return deleted !== undefined && deleted.expiresAt > now ? deleted.action : undefined;
}
