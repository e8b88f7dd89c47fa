import { AppError, orRefuse } from "@sightline/foundation/errors";
import { findAccount } from "#accounts/account.store.ts";
import { confirmPassword } from "#accounts/confirm-password.ts";
import { appendAudit, auditAlone } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { StepUpRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { FRESH_LOGIN_MS } from "#session/fresh-login.ts";
import { setStepUp } from "#session/session.store.ts";
import { lockSignedIn, sessionOver } from "#totp/lock-signed-in.ts";
import type { SecondStepDependencies } from "./verify-second-factor.ts";

/**
 * Verifies the password, and the code where the account has a second factor, once more for a session that goes on. For
 * ten minutes the session may then do what requires a step-up, and it counts as freshly logged in.
 *
 * @returns when that ends.
 * @throws {AppError} 400 `code_required` or `passkey_required`, 403 `wrong_password` or `invalid_code`, 429 `too_many_tries`.
 */
export async function stepUp(dependencies: SecondStepDependencies, caller: Caller, { password, code }: StepUpRequest): Promise<Date> {
  const { queries, secondFactor, clock } = dependencies;
  const account = orRefuse(await findAccount(queries, caller.userId), sessionOver);
  const hasCodes = account.factors.includes("totp");
  if (hasCodes && code === undefined) {
    throw refusal("code_required");
  }
  if (account.factors.length > 0 && !hasCodes) {
    // The password alone would leave the second factor out.
    throw refusal("passkey_required");
  }
  try {
    await confirmPassword(dependencies, account, password, caller);
  } catch (error) {
    if (error instanceof AppError && error.code === "wrong_password") {
      await auditAlone(queries, { ...ownAction(caller, clock.now()), event: "step_up_failed", details: { reason: error.code } });
    }
    throw error;
  }
  async function raise(transaction: Transaction, method: string): Promise<Date> {
    const now = clock.now();
    const until = new Date(now.getTime() + FRESH_LOGIN_MS);
    await lockSignedIn(transaction, account, caller.sessionId);
    await setStepUp(transaction, caller.sessionId, now, until);
    await appendAudit(transaction, { ...ownAction(caller, now), event: "step_up_ok", details: { method } });
    return until;
  }
  return hasCodes && code !== undefined
    ? secondFactor.withCode({ ...caller, code, purpose: "step_up" }, (transaction, { method }) => raise(transaction, method))
    : queries.transaction().execute((transaction) => raise(transaction, "password"));
}
