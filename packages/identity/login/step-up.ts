import { AppError } from "@sightline/foundation/errors";
import type { Owner } from "@sightline/foundation/http/principal";
import { findAccount } from "#accounts/account.store.ts";
import { confirmPassword } from "#accounts/confirm-password.ts";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { StepUpRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { setStepUp } from "#session/session.store.ts";
import { lockSignedIn, sessionOver } from "#totp/lock-signed-in.ts";
import type { SecondStepDependencies } from "./verify-second-factor.ts";

const MS = 600_000;

/**
 * Verifies the password, and the code where the account has a second factor, once more for a session that goes on. For
 * ten minutes the session may then do what requires a step-up, and it counts as freshly logged in.
 *
 * @returns when that ends.
 * @throws {AppError} 400 `code_required`, 403 `wrong_password` or `invalid_code`, 429 `too_many_tries`.
 */
export async function stepUp(
  dependencies: SecondStepDependencies,
  { userId, tenantId, sessionId }: Owner,
  { password, code }: StepUpRequest,
  client: Client,
): Promise<Date> {
  const { queries, secondFactor, clock } = dependencies;
  const account = await findAccount(queries, userId);
  if (account === undefined) {
    throw sessionOver();
  }
  if (account.totpEnabled && code === undefined) {
    throw refusal("code_required");
  }
  const event = { userId, tenantId, actorId: userId, sessionId, client };
  try {
    await confirmPassword(dependencies, account, password, client);
  } catch (error) {
    if (error instanceof AppError && error.code === "wrong_password") {
      const details = { reason: error.code };
      await queries
        .transaction()
        .execute((transaction) => appendAudit(transaction, { ...event, event: "step_up_failed", at: clock.now(), details }));
    }
    throw error;
  }
  async function raise(transaction: Transaction, method: string): Promise<Date> {
    const now = clock.now();
    const until = new Date(now.getTime() + MS);
    if (account === undefined) {
      throw sessionOver();
    }
    await lockSignedIn(transaction, account, sessionId);
    await setStepUp(transaction, { sessionId, now, until });
    await appendAudit(transaction, { ...event, event: "step_up_ok", at: now, details: { method } });
    return until;
  }
  return account.totpEnabled && code !== undefined
    ? secondFactor.withCode({ userId, tenantId, sessionId, code, client, purpose: "step_up" }, (transaction, { method }) =>
        raise(transaction, method),
      )
    : queries.transaction().execute((transaction) => raise(transaction, "password"));
}
