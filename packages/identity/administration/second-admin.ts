import { findAccount } from "#accounts/account.store.ts";
import type { Caller } from "#audit/client.ts";
import type { ActionOfTwo } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { type AccountAddress, type Action, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { needsTwo } from "./policy.ts";
import {
  deleteWaiting,
  findPolicy,
  findWaiting,
  listActiveAdmins,
  refuseWithoutSecondFactor,
  saveWaiting,
  wasMadeWithinADay,
} from "./policy.store.ts";

/** How long what was asked waits for another admin. */
const WAITING_MS = 24 * 3600_000;

type Wish = { readonly action: ActionOfTwo; readonly reason: string };

/**
 * Where the policy says so, what takes a second factor or an admin away is done by two: asked by one, and done when another one asks for
 * the same within a day. An account has one thing that waits: asking for another one takes its place.
 *
 * @returns `alone` where one is enough, `waits` when it was asked, `confirmed` when it is to be done now.
 * @throws {AppError} 403 `second_factor_needed` or `admin_too_new`.
 */
export async function decideByTwo(
  dependencies: AdministrationDependencies,
  { transaction, account, now, record }: Action,
  actor: Caller,
  { action, reason }: Wish,
): Promise<"alone" | "waits" | "confirmed"> {
  if (!needsTwo(await findPolicy(transaction, account.tenantId), now)) {
    return "alone";
  }
  const admins = await listActiveAdmins(transaction, account.tenantId);
  refuseWithoutSecondFactor(admins, actor.userId);
  if (await wasMadeWithinADay(transaction, actor.userId, now)) {
    throw refusal("admin_too_new");
  }
  const waiting = await findWaiting(transaction, account.id, now);
  if (waiting?.action === action && waiting.askedBy !== actor.userId) {
    await deleteWaiting(transaction, account.id, now);
    return "confirmed";
  }
  const expiresAt = new Date(now.getTime() + WAITING_MS);
  await saveWaiting(transaction, account.id, { action, askedBy: actor.userId, reason, expiresAt });
  const by = (await findAccount(transaction, actor.userId))?.email ?? "";
  const details = { action, ...(reason === "" ? {} : { reason }) };
  for (const { id } of admins.filter((admin) => admin.id !== actor.userId)) {
    await dependencies.notices.append(transaction, {
      userId: id,
      kind: "second_admin_asked",
      at: now,
      details: { by, account: account.email, ...details },
    });
  }
  record("second_admin_asked", details);
  return "waits";
}

/**
 * Takes back what waits; any admin may, its account's owner too.
 *
 * @throws {AppError} 404 `unknown_user`, 409 `nothing_waiting`.
 */
export async function takeBack(dependencies: AdministrationDependencies, actor: Caller, address: AccountAddress): Promise<void> {
  await actOnAccount(dependencies, actor, address, async ({ transaction, account, now, record }) => {
    const action = await deleteWaiting(transaction, account.id, now);
    if (action === undefined) {
      throw refusal("nothing_waiting");
    }
    record("second_admin_cancelled", { action });
  });
}
