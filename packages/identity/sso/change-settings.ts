import { findAccount } from "#accounts/account.store.ts";
import { refuseFormerAdmin, type AdministrationDependencies } from "#administration/act-on-account.ts";
import { lockAdministration } from "#administration/managed-account.store.ts";
import { listActiveAdmins, refuseWithoutSecondFactor } from "#administration/policy.store.ts";
import type { Caller } from "#audit/client.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import type { Transaction } from "#schema.ts";
import { endSessions } from "#session/end-sessions.ts";
import { listWithSessions } from "./configuration.store.ts";

export type ConfigureDependencies = AdministrationDependencies & { readonly sealer: Sealer };

/** The caller still is an admin, and has a second factor of their own, as for the policy. */
export async function beginChange(transaction: Transaction, caller: Caller): Promise<void> {
  await lockAdministration(transaction, caller.tenantId);
  await refuseFormerAdmin(transaction, caller);
  refuseWithoutSecondFactor(await listActiveAdmins(transaction, caller.tenantId), caller.userId);
}

/** Tells every other admin; nothing where nothing was changed. */
export async function tellOthers(
  { notices, clock }: Pick<AdministrationDependencies, "notices" | "clock">,
  transaction: Transaction,
  { userId, tenantId }: Caller,
  what: string,
  about = "company sign-in",
): Promise<void> {
  if (what === "") {
    return;
  }
  const by = (await findAccount(transaction, userId))?.email ?? "";
  for (const { id } of await listActiveAdmins(transaction, tenantId)) {
    if (id !== userId) {
      const details = { by, what: `${about} (${what})` };
      await notices.append(transaction, { userId: id, kind: "policy_changed", at: clock.now(), details });
    }
  }
}

type Ending = { readonly kind: "by_sso" | "against_sso"; readonly reason: string; readonly now: Date };

/** The caller goes on: whoever makes the change sees how it went. */
export async function endSessionsOf(transaction: Transaction, caller: Caller, { kind, reason, now }: Ending): Promise<void> {
  const { tenantId, userId: actorId, sessionId, client } = caller;
  for (const userId of await listWithSessions(transaction, tenantId, kind, now)) {
    const except = userId === actorId ? sessionId : undefined;
    await endSessions(transaction, { at: now, userId, tenantId, actorId, client, reason, except });
  }
}
