import { raiseEpoch } from "#accounts/account.store.ts";
import { createAccount, type AccountDependencies } from "#accounts/create-account.ts";
import { hasOtherActiveAdmin, lockAdministration, updateAccount } from "#administration/managed-account.store.ts";
import type { AuditEvent } from "#audit/audit.store.ts";
import type { PartialSession } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Role, Transaction } from "#schema.ts";
import { endSessions } from "#session/end-sessions.ts";
import { openFullLogin, type FullLoginDependencies, type OpenedLogin } from "#session/full-login.ts";
import { forgetDevices } from "#session/known-device.store.ts";
import { linkPerson } from "#session/sso-link.store.ts";
import type { LoginOrigin } from "#factors/kit/second-step.ts";
import { issuePartialToken, describeSecondSteps } from "#factors/kit/partial-tokens.ts";
import { findSsoAccount, lockSsoAccount } from "./sso-account.store.ts";
import type { Person } from "./person.ts";
import { noteSsoLogin, type Provider } from "./provider.store.ts";

export type OpeningDependencies = AccountDependencies & FullLoginDependencies;

type SsoAccount = NonNullable<Awaited<ReturnType<typeof lockSsoAccount>>>;

type RefusalCode = Parameters<typeof refusal>[0];

/**
 * Opens the tenant's account of the person: the one that is linked, the one with the same address, or a new one. An account that has a
 * second factor of its own is asked for it, and linked only once it was shown.
 *
 * @throws {AppError} 400 `sso_over`, 403 with why the person is not let in.
 */
export async function openAccount(
  dependencies: OpeningDependencies,
  provider: Provider,
  person: Person,
  from: LoginOrigin,
): Promise<OpenedLogin | PartialSession> {
  const { queries, clock } = dependencies;
  if (provider.createsAccounts && person.role !== "none" && (await findSsoAccount(queries, provider.tenantId, person)) === undefined) {
    await makeAccount(dependencies, provider, person, from);
  }
  const opened = await queries.transaction().execute(async (transaction): Promise<OpenedLogin | PartialSession | RefusalCode> => {
    await lockAdministration(transaction, provider.tenantId);
    const now = clock.now();
    if (!(await noteSsoLogin(transaction, provider, now))) {
      return "sso_over";
    }
    const account = await lockSsoAccount(transaction, provider.tenantId, person);
    if (account === undefined) {
      return "sso_no_account";
    }
    if (account.isSomebodyElses) {
      return "sso_other_person";
    }
    if (account.disabledAt !== null) {
      return "sso_account_disabled";
    }
    const roleChange = await changeRole(transaction, account, person, { now, from });
    if (roleChange === "refused") {
      return "sso_no_role";
    }
    const proved = { amr: person.amr, named: person.named };
    if (account.factors.length > 0) {
      const epoch = account.epoch + (roleChange === "changed" ? 1 : 0);
      const partial = await issuePartialToken(transaction, { ...proved, id: account.id, epoch }, from.client, now);
      return { ...partial, ...describeSecondSteps(account) };
    }
    const login = { ...proved, ...from, userId: account.id, tenantId: account.tenantId, authenticatedAt: now };
    return openFullLogin(transaction, dependencies, { ...login, details: { method: "sso" } });
  });
  if (typeof opened === "string") {
    throw refusal(opened);
  }
  return opened;
}

/** An address that is taken is another tenant's: nobody is told so. */
async function makeAccount(
  dependencies: OpeningDependencies,
  { tenantId }: Provider,
  person: Person,
  { client }: LoginOrigin,
): Promise<void> {
  const { email, name, named } = person;
  const role: Role = person.role === "admin" ? "admin" : "member";
  await createAccount(dependencies, {
    email,
    name,
    password: undefined,
    mustChangePassword: false,
    origin: "sso",
    client,
    decide: async () => ({ role, tenantId }),
    whenMade: async (transaction, { id: userId }, now) => {
      await linkPerson(transaction, { tenantId, userId, ...named }, now);
      return [{ event: "sso_linked", at: now, userId, tenantId, client, details: named }];
    },
  }).catch((error: unknown) => {
    throw isTaken(error) ? refusal("sso_no_account") : error;
  });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "email_taken";
}

type RoleChangeOccasion = { readonly now: Date; readonly from: LoginOrigin };

/**
 * Gives the account the role that the provider says. What was open with another role ends. The last admin, and those who are kept for
 * emergencies, keep theirs, whatever a provider says.
 */
async function changeRole(
  transaction: Transaction,
  account: SsoAccount,
  { role }: Person,
  { now, from: { client } }: RoleChangeOccasion,
): Promise<"unchanged" | "changed" | "refused"> {
  if (role === "keep" || role === account.role) {
    return "unchanged";
  }
  const who = { at: now, userId: account.id, tenantId: account.tenantId, client };
  const isKept = account.role === "admin" && (account.breakGlass || !(await hasOtherActiveAdmin(transaction, account)));
  if (isKept) {
    return "unchanged";
  }
  await raiseEpoch(transaction, { id: account.id, now });
  await forgetDevices(transaction, account.id);
  if (role === "none") {
    await endSessions(transaction, { ...who, reason: "sso_no_role" });
    return "refused";
  }
  await updateAccount(transaction, account.id, { role });
  const changed: AuditEvent = { ...who, event: "user_changed", details: { changed: "role", from: account.role, to: role, origin: "sso" } };
  await endSessions(transaction, { ...who, reason: "role_changed" }, changed);
  return "changed";
}
