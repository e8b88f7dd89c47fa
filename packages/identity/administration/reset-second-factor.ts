import { findAccount, findFactors, raiseEpoch } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { removeFactors } from "#factors/registry.ts";
import { type AccountAddress, type Action, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { needsTwo } from "./policy.ts";
import {
  deleteWaitingReset,
  findPolicy,
  findWaitingReset,
  listActiveAdmins,
  refuseWithoutSecondFactor,
  saveWaitingReset,
  wasMadeWithinADay,
} from "./policy.store.ts";

/** How long an asked reset waits for another admin. */
const WAITING_MS = 24 * 3600_000;

/**
 * Removes every second factor of an account whose owner lost it: from then on the password alone logs in, until a
 * new one is set up. Never one's own: a stolen session of an admin must not be able to remove that admin's second factor. Nor by an
 * admin without one, so that an organization's second factor is not as weak as its weakest admin. Where the policy says so the reset
 * waits, a day at the most, until another admin asks for it too.
 *
 * @returns whether it waits.
 * @throws {AppError} 403 `own_second_factor`, `second_factor_needed` or `admin_too_new`, 404 `unknown_user`, 409 `not_enabled`.
 */
export async function resetSecondFactor(
  dependencies: AdministrationDependencies,
  actor: Caller | undefined,
  address: AccountAddress,
  reason: string,
): Promise<boolean> {
  if (address.id === actor?.userId) {
    throw refusal("own_second_factor");
  }
  return actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, now, record } = action;
    if ((await findFactors(transaction, account.id)).length === 0) {
      throw refusal("not_enabled");
    }
    if (actor !== undefined && (await needsAnother(action, actor))) {
      await ask(dependencies, action, actor, reason);
      return true;
    }
    await deleteWaitingReset(transaction, account.id, now);
    await raiseEpoch(transaction, { id: account.id, now });
    await removeFactors(transaction, account.id);
    await deletePartialTokensOf(transaction, account.id);
    await dependencies.notices.append(transaction, { userId: account.id, kind: "two_factor_reset", at: now, details: { reason } });
    record("2fa_admin_reset", { reason });
    action.endSessions("two_factor_reset");
    return false;
  });
}

/**
 * Takes an asked reset back; any admin may, its account's owner too.
 *
 * @throws {AppError} 404 `unknown_user`, 409 `no_reset_waiting`.
 */
export async function cancelReset(dependencies: AdministrationDependencies, actor: Caller, address: AccountAddress): Promise<void> {
  await actOnAccount(dependencies, actor, address, async ({ transaction, account, now, record }) => {
    if (!(await deleteWaitingReset(transaction, account.id, now))) {
      throw refusal("no_reset_waiting");
    }
    record("2fa_reset_cancelled");
  });
}

/**
 * Guards the deletion of an account, which takes its second factor along: its address could be given to a new account that has none.
 * It asks for what a reset asks for. Where that is a second admin, the reset comes first.
 *
 * @throws {AppError} 403 `second_factor_needed`, 409 `reset_needed_first`.
 */
export async function refuseTakingFactor(action: Action, actor: Caller): Promise<void> {
  const { transaction, account, now } = action;
  if ((await findFactors(transaction, account.id)).length === 0) {
    return;
  }
  refuseWithoutSecondFactor(await listActiveAdmins(transaction, account.tenantId), actor.userId);
  if (needsTwo(await findPolicy(transaction, account.tenantId), now)) {
    throw refusal("reset_needed_first");
  }
}

/** @throws {AppError} 403 `second_factor_needed` or `admin_too_new`. */
async function needsAnother({ transaction, account, now }: Action, actor: Caller): Promise<boolean> {
  refuseWithoutSecondFactor(await listActiveAdmins(transaction, account.tenantId), actor.userId);
  if (!needsTwo(await findPolicy(transaction, account.tenantId), now)) {
    return false;
  }
  if (await wasMadeWithinADay(transaction, actor.userId, now)) {
    throw refusal("admin_too_new");
  }
  const waiting = await findWaitingReset(transaction, account.id, now);
  return waiting === undefined || waiting.askedBy === actor.userId;
}

/** Asking again keeps it waiting, with the new reason. */
async function ask(
  { notices }: AdministrationDependencies,
  { transaction, account, now, record }: Action,
  actor: Caller,
  reason: string,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + WAITING_MS);
  await saveWaitingReset(transaction, account.id, { askedBy: actor.userId, reason, expiresAt });
  const by = (await findAccount(transaction, actor.userId))?.email ?? "";
  for (const { id } of await listActiveAdmins(transaction, account.tenantId)) {
    if (id !== actor.userId) {
      const details = { by, account: account.email, reason };
      await notices.append(transaction, { userId: id, kind: "two_factor_reset_asked", at: now, details });
    }
  }
  record("2fa_reset_asked", { reason });
}
