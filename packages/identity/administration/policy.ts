import { findAccount, raiseEpoch } from "#accounts/account.store.ts";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { ChangePolicyRequest, Policy } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { type AdministrationDependencies, refuseFormerAdmin } from "./act-on-account.ts";
import { lockAdministration } from "./managed-account.store.ts";
import {
  findPolicy,
  listActiveAdmins,
  listMembersWithPasskeys,
  refuseWithoutSecondFactor,
  savePolicy,
  type StoredPolicy,
} from "./policy.store.ts";

/** An admin who acts for others has one of their own, another one confirms, and a third one has lost theirs. */
const ADMINS_FOR_TWO = 3;
/** Switching the second admin off takes a day, so that no single admin gets around the other by switching it off. */
const SWITCH_OFF_MS = 24 * 3600_000;

export async function describePolicy({ queries, clock }: AdministrationDependencies, tenantId: string): Promise<Policy> {
  return toAnswer(await findPolicy(queries, tenantId), clock.now());
}

/**
 * Changes the policy of the caller's organization; what is left out stays. Every other admin is told. Admins without a second factor
 * have to log in again when one is needed from now on.
 *
 * @throws {AppError} 403 `second_factor_needed`, 409 `too_few_admins`.
 */
export async function changePolicy(
  { queries, notices, clock }: AdministrationDependencies,
  caller: Caller,
  request: ChangePolicyRequest,
): Promise<Policy> {
  const { tenantId, userId } = caller;
  return queries.transaction().execute(async (transaction) => {
    await lockAdministration(transaction, tenantId);
    await refuseFormerAdmin(transaction, caller);
    const now = clock.now();
    const admins = await listActiveAdmins(transaction, tenantId);
    refuseWithoutSecondFactor(admins, userId);
    const before = inForce(await findPolicy(transaction, tenantId), now);
    const policy = changed(before, request, now);
    if (policy.resetsNeedTwo && !before.resetsNeedTwo && admins.length < ADMINS_FOR_TWO) {
      throw refusal("too_few_admins");
    }
    await savePolicy(transaction, tenantId, policy);
    const caught =
      policy.secondFactorFrom !== null && policy.secondFactorFrom <= now ? admins.filter(({ hasSecondFactor }) => !hasSecondFactor) : [];
    for (const { id } of caught) {
      await raiseEpoch(transaction, { id, now });
    }
    const events = changesBetween(before, policy).map((change): AuditEvent => {
      return { ...ownAction(caller, now), event: "policy_changed", details: change };
    });
    const by = (await findAccount(transaction, userId))?.email ?? "";
    for (const { id } of events.length === 0 ? [] : admins.filter((admin) => admin.id !== userId)) {
      const what = events.map(({ details }) => `${details?.["changed"]} ${details?.["to"]}`).join(", ");
      await notices.append(transaction, { userId: id, kind: "policy_changed", at: now, details: { by, what } });
    }
    if (before.membersMayAddPasskeys && !policy.membersMayAddPasskeys) {
      for (const id of await listMembersWithPasskeys(transaction, tenantId)) {
        await notices.append(transaction, { userId: id, kind: "member_passkeys_off", at: now, details: {} });
      }
    }
    await appendAudit(transaction, ...events);
    return toAnswer(policy, now);
  });
}

/** Whether a reset waits for another admin now. */
export function needsTwo(policy: StoredPolicy, now: Date): boolean {
  return inForce(policy, now).resetsNeedTwo;
}

/** A rule that was switched off a day ago is off. */
function inForce(policy: StoredPolicy, now: Date): StoredPolicy {
  const { resetsNeedTwoUntil: until } = policy;
  return until !== null && until <= now ? { ...policy, resetsNeedTwo: false, resetsNeedTwoUntil: null } : policy;
}

function changed(policy: StoredPolicy, request: ChangePolicyRequest, now: Date): StoredPolicy {
  const {
    admins_need_second_factor_from: from = policy.secondFactorFrom?.toISOString() ?? null,
    resets_need_two: two,
    members_may_add_passkeys: mayAdd,
  } = request;
  const endsAt = policy.resetsNeedTwoUntil ?? new Date(now.getTime() + SWITCH_OFF_MS);
  const rule =
    two === undefined
      ? {}
      : { resetsNeedTwo: two || policy.resetsNeedTwo, resetsNeedTwoUntil: !two && policy.resetsNeedTwo ? endsAt : null };
  const passkeys = mayAdd === undefined ? {} : { membersMayAddPasskeys: mayAdd };
  return { ...policy, secondFactorFrom: from === null ? null : new Date(from), ...rule, ...passkeys };
}

function changesBetween(before: StoredPolicy, after: StoredPolicy): readonly Readonly<Record<string, string>>[] {
  const toFields = ({ secondFactorFrom, resetsNeedTwo, resetsNeedTwoUntil, membersMayAddPasskeys }: StoredPolicy) => ({
    admins_need_second_factor_from: secondFactorFrom?.toISOString() ?? "never",
    resets_need_two: resetsNeedTwoUntil === null ? String(resetsNeedTwo) : `until ${resetsNeedTwoUntil.toISOString()}`,
    members_may_add_passkeys: String(membersMayAddPasskeys),
  });
  const [old, next] = [Object.entries(toFields(before)), Object.entries(toFields(after))];
  return next.flatMap(([name, to], index) => (old[index]?.[1] === to ? [] : [{ changed: name, from: old[index]?.[1] ?? "", to }]));
}

function toAnswer(policy: StoredPolicy, now: Date): Policy {
  const { secondFactorFrom, resetsNeedTwo, resetsNeedTwoUntil, membersMayAddPasskeys } = inForce(policy, now);
  return {
    admins_need_second_factor_from: secondFactorFrom?.toISOString() ?? null,
    resets_need_two: resetsNeedTwo,
    resets_need_two_until: resetsNeedTwoUntil?.toISOString() ?? null,
    members_may_add_passkeys: membersMayAddPasskeys,
  };
}
