import type { Clock } from "@sightline/foundation/clock";
import { orRefuse } from "@sightline/foundation/errors";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Role, Transaction } from "#schema.ts";
import { hasAccounts, insertAccount, keptEmail, lockAccountCreation, type CreatedAccount } from "./account.store.ts";
import { NO_PASSWORD, type PasswordHasher } from "./password-hash.ts";

export type AccountDependencies = { readonly queries: Queries; readonly hasher: PasswordHasher; readonly clock: Clock };

export type AccountPlan = {
  readonly email: string;
  readonly name: string;
  /** Undefined for an invitation: nobody can log in until the owner has chosen a password by a mailed link. */
  readonly password: string | undefined;
  readonly mustChangePassword: boolean;
  /** The origin of the account: `first_start`, `command`, `registration`, `admin` or `invitation`. */
  readonly origin: string;
  /** The admin who makes the account; undefined on the host. */
  readonly actor?: { readonly userId: string; readonly sessionId: string } | undefined;
  readonly client?: Client | undefined;
  /** Decides under the lock; throws to refuse, or answers undefined to make no account. */
  readonly decide: (transaction: Transaction, isFirst: boolean) => Promise<{ readonly role: Role; readonly tenantId: string } | undefined>;
  /** Runs in the same transaction, once the account is there. @returns what the audit tells besides. */
  readonly whenMade?: (transaction: Transaction, created: CreatedAccount, now: Date) => Promise<readonly AuditEvent[]>;
};

/**
 * Makes an account and its audit row. Whether it is the first is decided under a lock that all ways to make one take;
 * the slow hash is computed before, since a transaction on the embedded database keeps everybody waiting.
 *
 * @throws {AppError} 409 `email_taken`.
 */
export async function createAccount(
  { queries, hasher, clock }: AccountDependencies,
  plan: AccountPlan,
): Promise<CreatedAccount | undefined> {
  const passwordHash = plan.password === undefined ? NO_PASSWORD : await hasher.hash(plan.password);
  const { email, name, client, origin, actor } = plan;
  return queries.transaction().execute(async (transaction) => {
    await lockAccountCreation(transaction);
    const decision = await plan.decide(transaction, !(await hasAccounts(transaction)));
    if (decision === undefined) {
      return undefined;
    }
    const now = clock.now();
    const { tenantId, role } = decision;
    const row = {
      tenant_id: tenantId,
      email: keptEmail(email),
      name,
      role,
      password_hash: passwordHash,
      must_change_password: plan.mustChangePassword,
    };
    const created = orRefuse(await insertAccount(transaction, row, now), () => refusal("email_taken"));
    const more = (await plan.whenMade?.(transaction, created, now)) ?? [];
    const who = { userId: created.id, tenantId, actorId: actor?.userId, sessionId: actor?.sessionId, client };
    await appendAudit(transaction, { ...who, event: "user_created", at: now, details: { role, origin } }, ...more);
    return created;
  });
}
